import type { Writable } from 'node:stream';
import type { ConsoleSource } from '../source.ts';
import type { Keyframe } from '../views.ts';
import { changeFeed } from './change-feed.ts';

/** At most ten patches a second. */
const PATCH_MS = 100;
/** Also the heartbeat that shows the page that the connection works. */
const CLOCK_MS = 500;
/** Unread bytes after its keyframe at which a page gets no more messages. */
const BACKLOG_BYTES = 1024 * 1024;

interface Client {
  /** True while messages for this page are dropped. */
  lagging: boolean;
  /**
   * Bytes of the newest keyframe. They do not count as backlog: the keyframe of a large cluster is
   * larger than the limit, and a page that reads it slowly would get one keyframe after the other.
   */
  keyframeBytes: number;
}

export interface StreamHub {
  /**
   * @param lastId - id of the last message that the page has
   */
  connect(response: Writable, lastId: string | undefined): Promise<void>;
  keyframe(): Promise<Keyframe>;
  /** @param restarts - true tells the pages that another server follows at once */
  close(restarts: boolean): void;
}

/** Computes one patch per interval for all connected pages. */
export function streamHub(source: ConsoleSource, instance: string): StreamHub {
  const log = messageLog(instance);
  const feed = changeFeed(source);
  const clients = new Map<Writable, Client>();
  const oneAtATime = exclusive();
  let changed = false;

  const broadcast = (text: string) => {
    for (const [response, client] of clients) {
      client.lagging ||= response.writableLength > client.keyframeBytes + BACKLOG_BYTES;
      if (!client.lagging) response.write(text);
    }
  };

  const flush = async () => {
    for (const { type, data } of await feed.next()) broadcast(log.add(type, data).text);
    // A page that fell behind gets the whole state instead of the dropped messages.
    for (const [response, client] of clients) {
      if (!client.lagging || response.writableLength > 0) continue;
      const { text } = log.keyframe(await feed.keyframe());
      response.write(text);
      clients.set(response, { lagging: false, keyframeBytes: Buffer.byteLength(text) });
    }
  };

  const patchTimer = setInterval(() => {
    if (!changed || clients.size === 0) return;
    changed = false;
    oneAtATime(flush).catch(() => {
      // Reading failed: pages keep their state, and the next tick reads again.
      changed = true;
    });
  }, PATCH_MS);
  const clockTimer = setInterval(() => {
    broadcast(`event: clock\ndata: ${JSON.stringify(source.clock())}\n\n`);
  }, CLOCK_MS);
  const stopWatching = source.onChange(() => {
    changed = true;
  });

  return {
    keyframe: () =>
      oneAtATime(async () => {
        // Without a connected page, no timer brings the state up to date.
        if (clients.size === 0) await flush();
        return feed.keyframe();
      }),
    connect: (response, lastId) =>
      oneAtATime(async () => {
        // Connected pages get the difference first, so that the new state is the same for all.
        await flush();
        const missed = lastId === undefined ? undefined : log.after(lastId);
        const messages = missed ?? [log.keyframe(await feed.keyframe())];
        for (const { text } of messages) response.write(text);
        const keyframeBytes = missed ? 0 : response.writableLength;
        clients.set(response, { lagging: false, keyframeBytes });
        response.on('close', () => clients.delete(response));
      }),
    close(restarts) {
      clearInterval(patchTimer);
      clearInterval(clockTimer);
      stopWatching();
      const last = restarts ? 'event: restart\ndata: {}\n\n' : '';
      for (const response of clients.keys()) response.end(last);
    },
  };
}

/** Runs tasks one after the other: two at once would send a change twice. */
function exclusive() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work, work);
    last = run.catch(() => undefined);
    return run;
  };
}

/** A server-sent event in its wire format. */
interface Message {
  readonly seq: number;
  readonly type: string;
  readonly text: string;
}

/** Keeps the newest messages, so that a page that reconnects soon misses none. */
interface MessageLog {
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
