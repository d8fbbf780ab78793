/** One part of a multipart document, as cloud-init and nodeadm read it. */
export interface MimePart {
  readonly contentType: string;
  readonly body: string;
}

const BOUNDARY = '//';

/** Parts in their order: what comes later wins. */
export function formatMime(parts: readonly MimePart[]): string {
  const blocks = parts.map(
    ({ contentType, body }) => `--${BOUNDARY}\nContent-Type: ${contentType}\n\n${body.trim()}\n`,
  );
  return [
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${BOUNDARY}"`,
    '',
    ...blocks,
    `--${BOUNDARY}--`,
    '',
  ].join('\n');
}

/** Whether somebody wrote parts already; the headers come in either order. */
export const isMime = (text: string): boolean => /^\s*(mime-version|content-type):/i.test(text);

/**
 * The parts of a multipart document. Encodings of a part are left as they are: nobody writes user data
 * in any.
 *
 * @returns absent: it says of itself that it is one, and names no boundary
 */
export function parseMime(text: string): readonly MimePart[] | undefined {
  const unix = text.replaceAll('\r', '').trimStart();
  const { headers, body } = splitHeaders(unix);
  const boundary = /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(headers);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) return undefined;

  const [whole = ''] = `\n${body}`.split(`\n--${mark}--`);
  const [, ...parts] = whole.split(`\n--${mark}`);
  return parts.map((part) => {
    const { headers: head, body: content } = splitHeaders(part.replace(/^[ \t]*\n/, ''));
    return { contentType: readContentType(head), body: content.trim() };
  });
}

function splitHeaders(text: string): { readonly headers: string; readonly body: string } {
  const end = text.indexOf('\n\n');
  if (end === -1) return { headers: text, body: '' };
  return { headers: text.slice(0, end), body: text.slice(end + 2) };
}

const readContentType = (headers: string): string =>
  /^content-type:\s*(.+)$/im.exec(headers)?.[1]?.trim() ?? SHELL_SCRIPT;

export const SHELL_SCRIPT = 'text/x-shellscript; charset="us-ascii"';
