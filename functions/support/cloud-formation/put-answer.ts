import { setTimeout as sleep } from 'node:timers/promises';

const MAX_ATTEMPTS = 3;

/** The time limit of each attempt, and the pause before the next. */
interface PutTimeouts {
  readonly answerMs: number;
  readonly pauseMs: number;
}

export const PUT_TIMEOUTS: PutTimeouts = { answerMs: 2_500, pauseMs: 1_000 };

/** S3 did not accept the answer; CloudFormation waits until its own timeout. */
class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

/** Uploads the answer to CloudFormation's presigned URL, which is signed for a request without a content type. */
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
