import { setTimeout as sleep } from 'node:timers/promises';

const MAX_ATTEMPTS = 3;

/** How long each try may take, and the pause before the next. */
interface PutTimeouts {
  readonly answerMs: number;
  readonly pauseMs: number;
}

export const PUT_TIMEOUTS: PutTimeouts = { answerMs: 2_500, pauseMs: 1_000 };

/** S3 has not taken the answer: CloudFormation will wait until it gives up. */
class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

/** Writes to the place that CloudFormation has signed for, for a request without a type. */
export async function putAnswer(
  url: string,
  body: string,
  { answerMs, pauseMs }: PutTimeouts = PUT_TIMEOUTS,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { ok, status } = await fetch(url, {
        method: 'PUT',
        headers: { 'content-type': '' },
        body: Buffer.from(body),
        signal: AbortSignal.timeout(answerMs),
      });
      if (ok) return;
      throw new AnswerLostError(`the answer was refused with ${status}`);
    } catch (error) {
      if (tries >= MAX_ATTEMPTS) throw error;
      await sleep(pauseMs);
    }
  }
}
