import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isGzipped } from '../../shared/aws/gzip-json.ts';
import { UnreadableRecordError } from '../../shared/record/errors.ts';
import { readSnapshotFile, type SnapshotFile } from '../../shared/record/snapshot-file.ts';
import { fail, whyUnreadable } from '../errors.ts';

/**
 * Reads a snapshot file.
 *
 * @param shown - the path as the user wrote it
 * @throws CliError - `file-unreadable`, `snapshot-version`
 */
export async function openSnapshotFile(path: string, shown: string): Promise<SnapshotFile> {
  const bytes = await readBytes(path, shown);
  try {
    const content = await parseContent(bytes);
    if (!hasApiVersion(content)) throw notASnapshot(shown);
    return readSnapshotFile(content);
  } catch (cause) {
    if (!(cause instanceof UnreadableRecordError || cause instanceof SyntaxError)) throw cause;
    if (cause instanceof SyntaxError) throw notASnapshot(shown, cause);
    const isVersion = cause.path === 'apiVersion';
    throw fail(
      {
        code: isVersion ? 'snapshot-version' : 'file-unreadable',
        what: `cannot read ${shown}`,
        where: shown,
        why: cause.message,
        fix: isVersion ? 'use the release that wrote it, or a later one' : 'write the file again',
      },
      { cause },
    );
  }
}

const hasApiVersion = (content: unknown): boolean =>
  typeof content === 'object' && content !== null && 'apiVersion' in content;

const notASnapshot = (shown: string, cause?: SyntaxError) =>
  fail(
    {
      code: 'file-unreadable',
      what: `cannot read ${shown}`,
      where: shown,
      why: 'it is no snapshot: a snapshot is a JSON file, compressed or not',
      fix: '`mortise snapshot` writes one; manifests go to `mortise simulate -f`',
    },
    { cause },
  );

async function readBytes(path: string, shown: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    const why = whyUnreadable(cause);
    const problem = { code: 'file-unreadable', what: `cannot open ${shown}`, why } as const;
    throw fail({ ...problem, where: shown, fix: 'check the path' }, { cause });
  }
}

/** Accepts compressed and plain JSON. */
async function parseContent(bytes: Buffer): Promise<unknown> {
  const text = (isGzipped(bytes) ? await decompress(bytes) : bytes).toString('utf8');
  return JSON.parse(text);
}

/** A cluster of 10,000 pods takes about 10 MB. A small file may expand to any size. */
const MAX_CONTENT_BYTES = 256 * 1024 * 1024;

async function decompress(bytes: Buffer): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_CONTENT_BYTES });
  } catch (cause) {
    if (cause instanceof RangeError) {
      const why = `expands to more than ${MAX_CONTENT_BYTES / 1024 / 1024} MiB`;
      throw new UnreadableRecordError('file', { why, cause });
    }
    throw new UnreadableRecordError('file', { why: 'is cut off or damaged', cause });
  }
}
