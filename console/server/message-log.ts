/** A server-sent event in its wire format. */
export interface Message {
  readonly seq: number;
  readonly type: string;
  readonly text: string;
}

/** Keeps the newest messages, so that a page that reconnects soon misses none. */
export interface MessageLog {
  /** Numbers a message and keeps it. */
  add(type: string, data: unknown): Message;
  /** Returns all messages after `id`; undefined if they are gone or belong to another server. */
  after(id: string): readonly Message[] | undefined;
  /** A message that replaces all before it, with the newest number. */
  keyframe(data: unknown): Message;
}

/**
 * Ids have the form `<instance>.<seq>`, because a number alone could belong to an earlier server.
 */
export function messageLog(instance: string, limit = 600): MessageLog {
  const kept: Message[] = [];
  let last = 0;

  const written = (seq: number, type: string, data: unknown): Message => ({
    seq,
    type,
    text: `id: ${instance}.${seq}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`,
  });

  return {
    add(type, data) {
      last += 1;
      const message = written(last, type, data);
      kept.push(message);
      if (kept.length > limit) kept.shift();
      return message;
    },
    after(id) {
      const [from, number] = id.split('.');
      const seq = Number(number);
      if (from !== instance || !Number.isSafeInteger(seq) || seq > last) return undefined;
      const oldest = kept[0]?.seq ?? last + 1;
      return seq + 1 < oldest ? undefined : kept.filter((message) => message.seq > seq);
    },
    keyframe: (data) => written(last, 'state', data),
  };
}
