/** One part of a multipart document, as cloud-init and nodeadm read it. */
export interface MimePart {
  readonly contentType: string;
  readonly body: string;
}

const BOUNDARY = '//';

/** Formats the parts in their order; later parts override earlier ones. */
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

/** Tells if the text is a multipart document. The headers come in either order. */
export const isMime = (text: string): boolean => /^\s*(mime-version|content-type):/i.test(text);

/**
 * Parses the parts of a multipart document. Encoded parts are not decoded.
 *
 * @returns undefined if the document names no boundary
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
