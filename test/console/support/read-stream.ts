export interface StreamMessage {
  readonly id?: string;
  readonly type: string;
  readonly data: unknown;
}

/** Reads server-sent events until `count` of them have arrived, without clock messages. */
export async function readStream(
  url: string,
  count: number,
  { lastId, onFirst }: { readonly lastId?: string; readonly onFirst?: () => void } = {},
): Promise<StreamMessage[]> {
  const abort = new AbortController();
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
  const response = await fetch(`${url}/api/stream`, { signal: abort.signal, headers });
  const messages: StreamMessage[] = [];
  let text = '';
  const decoder = new TextDecoder();
  const chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = response.body ?? [];
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    const fresh = parts.flatMap(readMessage);
    if (messages.length === 0 && fresh.length > 0) onFirst?.();
    messages.push(...fresh);
    if (messages.length >= count) break;
  }
  abort.abort();
  return messages;
}

function readMessage(part: string): StreamMessage[] {
  const field = (name: string) =>
    part
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const [id, type] = [field('id'), field('event')];
  if (type === undefined || type === 'clock') return [];
  const data: unknown = JSON.parse(field('data') ?? 'null');
  return [{ type, data, ...(id === undefined ? {} : { id }) }];
}
