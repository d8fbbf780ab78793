import type { SendMessage } from './send-message.ts';

/**
 * Leaves out what SQS would drop as a repetition. In a burst every pod's event asks for the same plan:
 * each bucket's first message is sent, and those that follow cost nothing but the call that brought
 * them.
 */
export function unrepeatedMessages(send: SendMessage): SendMessage {
  // By queue: an older bucket does not come back.
  const latest = new Map<string, { readonly id: string; readonly sent: Promise<void> }>();

  return async (message) => {
    const { QueueUrl, MessageDeduplicationId: id } = message;
    if (id === undefined) return send(message);
    const known = latest.get(QueueUrl);
    if (known?.id === id) return known.sent;

    const entry = { id, sent: send(message) };
    latest.set(QueueUrl, entry);
    // What SQS did not take is no repetition.
    entry.sent.catch(() => {
      if (latest.get(QueueUrl) === entry) latest.delete(QueueUrl);
    });
    return entry.sent;
  };
}
