import { promises } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { KubeconfigContext } from './kubeconfig.ts';
import { KubeconfigError } from './kubeconfig-errors.ts';

interface Pem {
  readonly data: string | undefined;
  readonly path: string | undefined;
  readonly field: string;
}

/** Data wins over a file, as with kubectl. */
export async function pemOf(
  context: KubeconfigContext,
  at: string,
  { data, path, field }: Pem,
): Promise<string | undefined> {
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  return path === undefined ? undefined : await fileBeside(context, `${at}.${field}`, path);
}

/** @throws KubeconfigError - it cannot be read */
export async function fileBeside(
  { file }: KubeconfigContext,
  field: string,
  path: string,
): Promise<string> {
  try {
    return await promises.readFile(resolve(dirname(file), path), 'utf8');
  } catch (cause) {
    throw new KubeconfigError(
      { file, field, why: `names ${path}, which cannot be read` },
      { cause },
    );
  }
}
