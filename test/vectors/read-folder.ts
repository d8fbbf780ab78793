import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type * as z from 'zod';
import { getOrCreate } from '../../shared/model/memo.ts';
import type { Bundle } from './bundle.ts';

/** Thrown if arguments or files cannot be read. The message is one sentence for the user. */
export class UnreadableVectorsError extends Error {
  override readonly name = 'UnreadableVectorsError';
}

/** Lists that several cases share; the folder is next to the cases and holds none itself. */
const CATALOGS = 'catalogs';
const CASE = /\.json(\.gz)?$/;

/**
 * Reads the cases of a folder and its subfolders, one per file, plain or compressed.
 *
 * @param part - the kind of cases if the folder holds several kinds: `scheduling`
 * @throws UnreadableVectorsError - if there is no folder, no case, or a file that is not a case
 */
export function readFolder<Case>(folder: string, part: string, schema: z.ZodType<Case>): Bundle<Case> {
  if (!isFolder(folder)) throw new UnreadableVectorsError(`${folder} is no folder.`);
  const own = join(folder, part);
  const root = isFolder(own) ? own : folder;
  const cases = listCaseFiles(root).map((file) => readCase(file, schema));
  if (cases.length === 0) throw new UnreadableVectorsError(`${folder} holds no case.`);

  const read = new Map<string, unknown>();
  return {
    cases,
    catalogs: (name) => {
      return getOrCreate(read, name, () => readCatalog(root, name));
    },
  };
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

function listCaseFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === CATALOGS ? [] : listCaseFiles(path);
    return CASE.test(entry.name) ? [path] : [];
  });
}

function readCase<Case>(file: string, schema: z.ZodType<Case>): Case {
  const read = schema.safeParse(readJson(file));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
  throw new UnreadableVectorsError(`${file} is no case${where}: ${issue?.message ?? 'unknown'}.`);
}

/** Searches the folder and its parents, the nearest first. */
function readCatalog(folder: string, name: string): unknown {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const plain = join(at, CATALOGS, `${name}.json`);
    const file = [plain, `${plain}.gz`].find((path) => existsSync(path));
    if (file !== undefined) return readJson(file);
    if (dirname(at) === at) break;
  }
  throw new UnreadableVectorsError(`No ${CATALOGS}/${name}.json stands in ${folder} or in a folder above it.`);
}

function readJson(file: string): unknown {
  try {
    const bytes = readFileSync(file);
    return JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
  } catch (cause) {
    throw new UnreadableVectorsError(`${file} cannot be read: ${toReason(cause)}.`, { cause });
  }
}

const toReason = (cause: unknown): string => (cause instanceof Error ? cause.message : `${cause}`);
