import { setTimeout as sleep } from 'node:timers/promises';

const MOST_TRIES = 3;
const PAUSE_MS = 1_000;

/** S3 has not taken the answer: CloudFormation will wait until it gives up. */
class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

/** Writes to the place that CloudFormation has signed for, for a request without a type. */
export async function putAnswer(url: string, body: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { ok, status } = await fetch(url, {
        method: 'PUT',
        headers: { 'content-type': '' },
        body: Buffer.from(body),
      });
      if (ok) return;
      throw new AnswerLostError(`the answer was refused with ${status}`);
    } catch (error) {
      if (tries >= MOST_TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
