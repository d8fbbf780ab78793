import { readFile } from 'node:fs/promises';

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_INTERP = 3;
const DT_NEEDED = 1;
const DT_STRTAB = 5;

export interface Executable {
  /** The program that loads the libraries: an absolute path. */
  readonly interpreter: string;
  /** File names of the libraries that it needs. */
  readonly libraries: readonly string[];
}

interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

/**
 * Reads from an executable what has to be in an image besides it, so that an image for another
 * architecture can be checked where it cannot run.
 *
 * @see ELF-64 Object File Format, version 1.5: little endian
 */
export async function readExecutable(file: string): Promise<Executable> {
  const bytes = await readFile(file);
  const segments = readSegments(bytes);
  const textAt = (offset: number): string => bytes.toString('latin1', offset, bytes.indexOf(0, offset));

  const interpreter = segments.find(({ type }) => type === PT_INTERP);
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (!interpreter || !dynamic) throw new Error(`${file} loads no libraries`);

  const entries = Array.from({ length: dynamic.size / 16 }, (_, index) => {
    const at = dynamic.offset + index * 16;
    return { tag: Number(bytes.readBigInt64LE(at)), value: Number(bytes.readBigUInt64LE(at + 8)) };
  });
  const strings = offsetOf(segments, entries.find(({ tag }) => tag === DT_STRTAB)?.value ?? 0);
  const needed = entries.filter(({ tag }) => tag === DT_NEEDED);
  return {
    interpreter: textAt(interpreter.offset),
    libraries: needed.map(({ value }) => textAt(strings + value)),
  };
}

function readSegments(bytes: Buffer): readonly Segment[] {
  const table = Number(bytes.readBigUInt64LE(0x20));
  const entrySize = bytes.readUInt16LE(0x36);
  return Array.from({ length: bytes.readUInt16LE(0x38) }, (_, index) => {
    const at = table + index * entrySize;
    return {
      type: bytes.readUInt32LE(at),
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      address: Number(bytes.readBigUInt64LE(at + 16)),
      size: Number(bytes.readBigUInt64LE(at + 32)),
    };
  });
}

/** @returns where the byte at a virtual address is in the file */
function offsetOf(segments: readonly Segment[], address: number): number {
  const segment = segments.find(
    (one) => one.type === PT_LOAD && address >= one.address && address < one.address + one.size,
  );
  if (!segment) throw new Error(`no segment contains the address ${address}`);
  return address - segment.address + segment.offset;
}
