/** One server-sent event, as it goes over the wire. */
export interface Message {
  readonly seq: number;
  readonly type: string;
  readonly text: string;
}

/** The newest messages, so that a page that was away for a moment misses nothing. */
export interface MessageLog {
  /** Gives it the next number and keeps it. */
  add(type: string, data: unknown): Message;
  /** All after `id`; absent when that is too long ago, or another server's. */
  after(id: string): readonly Message[] | undefined;
  /** A message that stands for all before it, with the newest number. */
  keyframe(data: unknown): Message;
}

/** Ids are `<instance>.<seq>`: a number alone could be one of an earlier server. */
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
