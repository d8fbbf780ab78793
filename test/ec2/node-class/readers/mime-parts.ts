import PostalMime from 'postal-mime';

export interface MimePart {
  /** Without parameters: `text/x-shellscript`. */
  readonly type: string;
  readonly body: string;
}

/** Parses a multipart document with a mail library. */
export async function mimeParts(document: string): Promise<readonly MimePart[]> {
  const { attachments } = await PostalMime.parse(document, { attachmentEncoding: 'utf8' });
  return attachments.map(({ mimeType, content }) => ({ type: mimeType, body: String(content) }));
}
