import {
  GetFunctionConfigurationCommand,
  type LambdaClient,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionUpdated,
} from '@aws-sdk/client-lambda';
import type { HookIntake } from '../ports/hook-intake.ts';

export interface IntakeFunction {
  readonly name: string;
  /** What the function knows a token by. */
  readonly digestOf: (token: string) => string;
}

/** A variable, and not a store: reading one would cost a right and a request in each cold start. */
const VARIABLE = 'HOOK_DIGESTS';
const MOST_WAIT_S = 60;

/** The intake as a function whose environment holds the digests of the tokens that open. */
export const lambdaHookIntake = (
  lambda: LambdaClient,
  { name, digestOf }: IntakeFunction,
): HookIntake => ({
  async admit(tokens) {
    const digests = tokens.map(({ text }) => digestOf(text)).join(',');
    const { Environment, RevisionId } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName: name }),
    );
    const Variables = Environment?.Variables ?? {};
    if (Variables[VARIABLE] === digests) return;

    await lambda.send(
      new UpdateFunctionConfigurationCommand({
        FunctionName: name,
        Environment: { Variables: { ...Variables, [VARIABLE]: digests } },
        // A deployment that comes in between is not undone.
        RevisionId,
      }),
    );
    await waitUntilFunctionUpdated(
      { client: lambda, maxWaitTime: MOST_WAIT_S, minDelay: 1, maxDelay: 3 },
      { FunctionName: name },
    );
  },
});
