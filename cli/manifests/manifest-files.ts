import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { ManifestSource } from '../../shared/api/manifests/cluster-manifests.ts';
import { fail, isOtherText, whyUnreadable } from '../errors.ts';
import { counted } from '../render/numbers.ts';
import type { Io } from '../terminal/io.ts';

const EXTENSIONS: readonly string[] = ['.yaml', '.yml', '.json'];
/** A larger manifest is most likely a wrong path and would only fill the memory. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/**
 * Reads the arguments of `-f`: files, directories, https URLs, `-` for stdin. Keeps the given
 * order; files of a directory are sorted by name.
 *
 * @throws CliError - `file-unreadable`, `no-manifests`, `url-unreachable`
 */
export async function readManifestFiles(
  paths: readonly string[],
  { recursive, io }: { recursive: boolean; io: Io },
): Promise<ManifestSource[]> {
  const sources: ManifestSource[] = [];
  for (const path of paths) sources.push(...(await readPath(path, recursive, io)));
  return sources;
}

async function readPath(path: string, recursive: boolean, io: Io): Promise<ManifestSource[]> {
  if (path === '-') return [await readStdin(io)];
  if (path.startsWith('https://')) return [await fetchManifests(path)];
  if (path.startsWith('http://')) {
    throw fail({
      code: 'bad-value',
      what: `"${path}" is not fetched`,
      where: '--filename',
      why: 'manifests decide what runs: they come over https only',
      fix: `write https${path.slice('http'.length)}`,
    });
  }
  const full = resolve(io.cwd, path);
  const entry = await stat(full).catch((cause: unknown) => {
    throw unreadable(path, full, cause);
  });
  if (!entry.isDirectory()) return [await readText(path, full)];
  return await readDirectory(path, full, { recursive, io });
}

async function readDirectory(
  path: string,
  full: string,
  { recursive, io }: { readonly recursive: boolean; readonly io: Io },
): Promise<ManifestSource[]> {
  const entries = await readdir(full, { recursive, withFileTypes: true }).catch((cause) => {
    throw unreadable(path, full, cause);
  });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(full.length + 1))
    .toSorted();
  const manifests = files.filter((file) => EXTENSIONS.includes(extname(file)));
  if (manifests.length === 0) throw nothingToRead(path, files.length);
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  if (!recursive && folders.length > 0) {
    io.stderr.write(`warning: ${path}: ${counted(folders.length, 'folder')} below it not read: -R reads folders too\n`);
  }
  return await Promise.all(manifests.map((file) => readText(join(path, file), join(full, file))));
}

const nothingToRead = (path: string, files: number) =>
  fail({
    code: 'no-manifests',
    what: 'nothing to read',
    where: path,
    why: files === 0 ? 'no files in there' : `${counted(files, 'file')}, none .yaml .yml .json`,
    fix: 'name the files, or -R to look in the folders below',
  });

const readText = async (file: string, full: string): Promise<ManifestSource> => ({
  file,
  text: await textOf({ file, where: full }, createReadStream(full)),
});

async function readStdin({ stdin, stderr }: Io): Promise<ManifestSource> {
  if (stdin.isTTY) stderr.write('reading manifests from the terminal; end with Ctrl-D\n');
  return { file: '-', text: await textOf({ file: '-', where: 'stdin' }, stdin) };
}

interface Origin {
  /** The path as it was given. */
  readonly file: string;
  /** The place in which it was looked for. */
  readonly where: string;
}

async function textOf({ file, where }: Origin, stream: AsyncIterable<unknown>): Promise<string> {
  // `fatal` reports a binary file as such, instead of as thousands of YAML errors.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (!(part instanceof Uint8Array)) throw new TypeError('not a stream of bytes');
      bytes += part.byteLength;
      if (bytes > MAX_FILE_BYTES) throw new RangeError('larger than 64 MiB');
      text += decoder.decode(part, { stream: true });
    }
    return text + decoder.decode();
  } catch (cause) {
    throw unreadable(file, where, cause);
  }
}

const unreadable = (path: string, where: string, cause: unknown) =>
  fail(
    {
      code: 'file-unreadable',
      what: `cannot open ${path}`,
      where,
      why: whyUnreadable(cause),
      fix: isOtherText(cause) ? 'save it as UTF-8, or name the file that holds the manifests' : 'check the path',
    },
    { cause },
  );

/** Names a path in an error. */
export const formatInputPath = (path: string): string => (path === '-' ? 'stdin' : path);

/** Files without a single object are an error: an empty pipe must not count as valid. */
export const noObjectIn = (paths: readonly string[]) =>
  fail({
    code: 'no-manifests',
    what: 'nothing to read',
    where: paths.map(formatInputPath).join(', '),
    why: 'no object in there, only comments and empty documents at most',
    fix: 'name the files that hold manifests',
  });

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

type Fetch = (url: string, init: { signal: AbortSignal }) => Promise<Response>;

/**
 * Reads an https URL of at most 10 MiB.
 *
 * @throws CliError - `url-unreachable`: no answer, a status other than 200, too long, or a redirect
 *   to plain http
 */
export async function fetchManifests(url: string, get: Fetch = fetch): Promise<ManifestSource> {
  try {
    const response = await get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`the host answers ${response.status}`);
    if (response.url !== '' && !response.url.startsWith('https://')) {
      throw new Error('it leads to an address without https');
    }
    return { file: url, text: await boundedText(response) };
  } catch (cause) {
    throw fail(
      {
        code: 'url-unreachable',
        what: `cannot read ${url}`,
        where: hostOf(url),
        why: whyOf(cause),
        fix: 'try again, or download it and name the file',
      },
      { cause },
    );
  }
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  const chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = response.body ?? [];
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error('longer than 10 MiB');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

function whyOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  if (cause.name === 'TimeoutError') return 'no answer in 30 s';
  // The message `fetch failed` is useless; its cause has the reason.
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}
