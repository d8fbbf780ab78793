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
  /** The digest that the function compares a token with. */
  readonly digestOf: (token: string) => string;
}

/**
 * An environment variable, because reading a store would need a permission and a request at each
 * cold start.
 */
const VARIABLE = 'HOOK_DIGESTS';
const MAX_WAIT_S = 60;
const MAX_TRIES = 3;

/** Another process keeps changing the function's configuration. */
class IntakeBusyError extends Error {
  override readonly name = 'IntakeBusyError';

  constructor() {
    super('the function that answers hooks is being changed by another process');
  }
}

/**
 * The webhook intake as a Lambda function whose environment holds the digests of accepted tokens.
 */
export function lambdaHookIntake(lambda: LambdaClient, { name: FunctionName, digestOf }: IntakeFunction): HookIntake {
  const waitUntilUpdated = () =>
    waitUntilFunctionUpdated({ client: lambda, maxWaitTime: MAX_WAIT_S, minDelay: 1, maxDelay: 3 }, { FunctionName });

  /**
   * @returns false if another process changed the function in the meantime
   */
  async function write(digests: string): Promise<boolean> {
    const { Environment, RevisionId } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    const Variables = Environment?.Variables ?? {};
    if (Variables[VARIABLE] === digests) return true;
    const change = new UpdateFunctionConfigurationCommand({
      FunctionName,
      Environment: { Variables: { ...Variables, [VARIABLE]: digests } },
      // The revision prevents that a concurrent deployment is undone.
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
