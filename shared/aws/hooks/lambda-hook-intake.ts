import {
  GetFunctionConfigurationCommand,
  type LambdaClient,
  PreconditionFailedException,
  ResourceConflictException,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionUpdated,
} from '@aws-sdk/client-lambda';
import type { HookIntake } from '../../ports/cluster-setup.ts';

export interface IntakeFunction {
  readonly name: string;
  /** What the function knows a token by. */
  readonly digestOf: (token: string) => string;
}

/** A variable, and not a store: reading one would cost a right and a request in each cold start. */
const VARIABLE = 'HOOK_DIGESTS';
const MAX_WAIT_S = 60;
const MAX_TRIES = 3;

/** The function is changed again and again by somebody else. */
class IntakeBusyError extends Error {
  override readonly name = 'IntakeBusyError';

  constructor() {
    super('the function that answers hooks is being changed by somebody else');
  }
}

/** The intake as a function whose environment holds the digests of the tokens that open. */
export function lambdaHookIntake(
  lambda: LambdaClient,
  { name: FunctionName, digestOf }: IntakeFunction,
): HookIntake {
  const waitUntilUpdated = () =>
    waitUntilFunctionUpdated(
      { client: lambda, maxWaitTime: MAX_WAIT_S, minDelay: 1, maxDelay: 3 },
      { FunctionName },
    );

  /** @returns false: somebody else changed it meanwhile, or still does */
  async function write(digests: string): Promise<boolean> {
    const { Environment, RevisionId } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName }),
    );
    const Variables = Environment?.Variables ?? {};
    if (Variables[VARIABLE] === digests) return true;
    const change = new UpdateFunctionConfigurationCommand({
      FunctionName,
      Environment: { Variables: { ...Variables, [VARIABLE]: digests } },
      // A deployment that comes in between is not undone.
      RevisionId,
    });
    try {
      await lambda.send(change);
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  }

  return {
    async admit(tokens) {
      const digests = tokens.map(({ text }) => digestOf(text)).join(',');
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const isWritten = await write(digests);
        await waitUntilUpdated();
        if (isWritten) return;
      }
      throw new IntakeBusyError();
    },
  };
}

const isConflict = (error: unknown): boolean =>
  error instanceof PreconditionFailedException || error instanceof ResourceConflictException;
