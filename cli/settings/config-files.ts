import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ownValue } from '../../shared/model/own-value.ts';
import { fail, whyUnreadable } from '../errors.ts';
import type { Io } from '../terminal/io.ts';

export interface Setting {
  readonly value: unknown;
  /** The variable or file that sets the value. */
  readonly origin: string;
}

/** Settings of one file, by flag (`output`) or by verb and flag (`plan.fail-on`). */
export interface SettingLayer {
  readonly origin: string;
  readonly settings: ReadonlyMap<string, unknown>;
  /** Keys that this file may not set. */
  readonly refused: readonly string[];
}

const PROJECT_FILE = '.mortise.yaml';

/** In a file, `files` is clearer than the flag's name. */
const FLAG_OF: Readonly<Record<string, string>> = { files: 'filename' };

/** The project file may come from another person, so it may choose inputs but never permissions. */
const mayBeSetByProject = (key: string): boolean =>
  ['cluster', 'region', 'filename', 'output', 'prices'].includes(key) || key.startsWith('plan.');

const mayBeSetByUser = (): boolean => true;

/**
 * Reads the configuration files that apply, the project's first.
 *
 * @throws CliError - `bad-config`
 */
export async function readConfigFiles(io: Io): Promise<SettingLayer[]> {
  const project = await findProjectFile(io.cwd);
  const user = join(configHome(io.env), 'mortise', 'config.yaml');
  return [
    ...(project === undefined ? [] : await readLayer(project, io.cwd, mayBeSetByProject)),
    ...(await readLayer(user, io.cwd, mayBeSetByUser)),
  ];
}

const configHome = (env: Io['env']): string => env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');

/** Searches from the working directory upwards, up to the root of the repository. */
async function findProjectFile(directory: string): Promise<string | undefined> {
  const file = join(directory, PROJECT_FILE);
  if (await exists(file)) return file;
  const parent = dirname(directory);
  if (parent === directory || (await exists(join(directory, '.git')))) return undefined;
  return await findProjectFile(parent);
}

const exists = async (path: string): Promise<boolean> =>
  await stat(path).then(
    () => true,
    () => false,
  );

async function readLayer(path: string, cwd: string, maySet: (key: string) => boolean): Promise<SettingLayer[]> {
  if (!(await exists(path))) return [];
  const origin = relative(cwd, path) || path;
  const all = [...flatten(await parseConfig(path, origin))];
  return [
    {
      origin,
      settings: new Map(all.filter(([key]) => maySet(key))),
      refused: all.map(([key]) => key).filter((key) => !maySet(key)),
    },
  ];
}

async function parseConfig(path: string, origin: string): Promise<Readonly<Record<string, unknown>>> {
  // Loads the parser only if there is a configuration file, which is rare.
  const { parse } = await import('yaml');
  try {
    const document: unknown = parse(await readFile(path, 'utf8'));
    if (document === null) return {};
    if (isRecord(document)) return document;
  } catch (cause) {
    // The parser's message has the source line below the reason.
    const why = whyUnreadable(cause).split('\n')[0]?.replace(/:$/, '') ?? '';
    throw fail(
      {
        code: 'bad-config',
        what: 'cannot read the configuration',
        where: origin,
        why,
        fix: 'correct the file, or remove it',
      },
      { cause },
    );
  }
  throw fail({
    code: 'bad-config',
    what: 'cannot read the configuration',
    where: origin,
    why: 'it is not a mapping of flags to values',
    fix: 'write lines like `output: json`',
  });
}

/** Flattens one level: `plan: { fail-on: blocked }` becomes `plan.fail-on`. */
function* flatten(document: Readonly<Record<string, unknown>>): Generator<[string, unknown]> {
  for (const [key, value] of Object.entries(document)) {
    if (!isRecord(value)) yield [ownValue(FLAG_OF, key) ?? key, value];
    else for (const [flag, inner] of Object.entries(value)) yield [`${key}.${ownValue(FLAG_OF, flag) ?? flag}`, inner];
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
