import type { Context, MortiseOptions } from './options.ts';

/** Account and region of the CDK CLI's credentials. */
export interface CliEnvironment {
  readonly CDK_DEFAULT_ACCOUNT?: string | undefined;
  readonly CDK_DEFAULT_REGION?: string | undefined;
}

/**
 * Reads the account and region of the stack: from the options, else from the CDK CLI's credentials.
 *
 * @returns `undefined` if neither has them, or if an option is wrong; errors are added to `problems`
 */
export function readTarget(
  context: Context,
  environment: CliEnvironment,
  problems: string[],
): MortiseOptions['target'] {
  const account = context('account') ?? environment.CDK_DEFAULT_ACCOUNT;
  const region = context('region') ?? environment.CDK_DEFAULT_REGION;
  if (context('account') === undefined && context('region') === undefined) {
    return typeof account === 'string' && typeof region === 'string' ? { account, region } : undefined;
  }

  const problemsBefore = problems.length;
  // The command line may have read the digits of an account as a number.
  const digits = String(account);
  if (!/^\d{12}$/.test(digits)) {
    problems.push('The option account must be 12 digits, and goes with the option region.');
  }
  if (typeof region !== 'string' || !/^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) {
    problems.push('The option region must be like eu-west-1, and goes with the option account.');
    return undefined;
  }
  return problems.length > problemsBefore ? undefined : { account: digits, region };
}
