/** True if the file was opened but is not text. */
export const isOtherText = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';

/** Explains an error of reading a file. */
export function whyUnreadable(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  const code = 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') return 'no such file or directory';
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  if (code === 'ELOOP') return 'a symbolic link that leads to itself';
  if (isOtherText(cause)) return 'it is not UTF-8 text';
  return cause.message;
}
