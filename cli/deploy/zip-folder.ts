import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { zip } from 'fflate';

/** The earliest time that the format knows. Equal folders give equal archives. */
const MODIFIED = new Date(1980, 0, 1);
/** Readable by the user that Lambda runs code as. */
const MODE = 0o644;

/** Packs the files of a folder. @param folder - with its subfolders */
export async function zipFolder(folder: string): Promise<Uint8Array> {
  const listed = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = listed
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const entries = files.map(async (file) => {
    const name = relative(folder, file).split(sep).join('/');
    return [name, await readFile(file)] as const;
  });
  const contents = Object.fromEntries(await Promise.all(entries));
  return await new Promise((resolve, reject) => {
    const options = { mtime: MODIFIED, os: UNIX, attrs: MODE * FILE_MODE_UNIT, level: 9 } as const;
    zip(contents, options, (error, packed) => (error ? reject(error) : resolve(packed)));
  });
}

/** The number of Unix in the format, whose file modes are in the upper half of the attributes. */
const UNIX = 3;
const FILE_MODE_UNIT = 0x1_00_00;
