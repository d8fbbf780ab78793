import { readFileSync } from 'node:fs';
import { entriesOf, valueAt } from '../json.ts';
import { REPOSITORY } from '../repository.ts';
import { runCommand } from '../run-command.ts';
import { ACCOUNT, CREDENTIALS, REGION } from './emulators.ts';
import { ACCESS_KEYS } from './rights/senders.ts';

export interface DeploymentParts {
  /** Output folder of `cdk synth`. */
  readonly assembly: string;
  readonly outputs: string;
  /** URL of the local AWS. */
  readonly url: string;
  readonly stack: string;
}

/** The right that docs/operations.md, "Permissions needed to deploy", asks for. */
export const DEPLOYER_POLICY = {
  Statement: {
    Effect: 'Allow',
    Action: 'sts:AssumeRole',
    Resource: `arn:aws:iam::${ACCOUNT}:role/cdk-hnb659fds-*-role-${ACCOUNT}-${REGION}`,
  },
} as const;

/** The CDK command line against the local AWS. */
export interface Deployment {
  /** Creates the roles of the CDK, as an administrator does. */
  bootstrap(): Promise<void>;
  /**
   * @param options - as `-c name=value`; later deployments and the removal use them too
   * @param sources - folder of the repository whose stack is deployed; by default this one
   */
  deploy(options?: Readonly<Record<string, string>>, sources?: string): Promise<void>;
  /**
   * @throws Error - the stack was not deployed or has no output of that name
   */
  output(name: string): string;
  /** The value of an option of the newest deployment. */
  option(name: string): string | undefined;
  destroy(): Promise<string>;
}

export function createDeployment(parts: DeploymentParts): Deployment {
  const { assembly, outputs, url, stack } = parts;
  let outputValues: ReadonlyMap<string, string> = new Map();
  let given: Readonly<Record<string, string>> = {};
  const run = (args: readonly string[], cwd: string, credentials: object): Promise<string> =>
    runCommand({
      command: 'cdk',
      args: [...args, '--no-color'],
      cwd,
      timeoutMs: 900_000,
      environment: { ...CREDENTIALS, ...credentials, AWS_ENDPOINT_URL: url, CI: 'true' },
    });
  const cdk = (args: readonly string[], sources = REPOSITORY): Promise<string> =>
    run(args, sources, { AWS_ACCESS_KEY_ID: ACCESS_KEYS.deployer });
  const app = (): readonly string[] => [
    ...['--output', assembly],
    ...Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];

  return {
    async bootstrap() {
      await run(['bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', ''], REPOSITORY, {});
    },
    async deploy(options = {}, sources) {
      given = { ...given, ...options };
      const flags = ['--require-approval', 'never', '--outputs-file', outputs];
      await cdk(['deploy', stack, ...app(), ...flags], sources);
      const written: unknown = JSON.parse(readFileSync(outputs, 'utf8'));
      outputValues = new Map(entriesOf(valueAt(written, stack)).map(([name, value]) => [name, String(value)]));
    },
    output(name) {
      const value = outputValues.get(name);
      if (value === undefined) throw new Error(`the stack has no output ${name}`);
      return value;
    },
    option: (name) => given[name],
    destroy: () => cdk(['destroy', stack, ...app(), '--force']),
  };
}
