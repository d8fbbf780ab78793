import type { Context } from 'aws-lambda';

interface Invocation {
  readonly context: Pick<Context, 'getRemainingTimeInMillis'>;
}

/** A middleware. */
interface TimeLimit {
  readonly before: (invocation: Invocation) => void;
  readonly after: () => void;
  readonly onError: () => void;
  /** Milliseconds until Lambda ends the current invocation. */
  readonly timeLeft: () => number;
}

/** Creates a middleware that remembers the time limit of the invocation that is running. */
export function createTimeLimit(): TimeLimit {
  let current: Invocation['context'] | undefined;
  const forget = (): void => {
    current = undefined;
  };
  return {
    before({ context }) {
      current = context;
    },
    after: forget,
    onError: forget,
    timeLeft: () => current?.getRemainingTimeInMillis() ?? Number.POSITIVE_INFINITY,
  };
}

/** The time limit of this function's invocations. */
export const timeLimit = createTimeLimit();
