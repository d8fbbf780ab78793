import { readFileSync } from 'node:fs';
import { entriesOf, valueAt } from '../json.ts';
import { REPOSITORY } from '../repository.ts';
import { runCommand } from '../run-command.ts';
import { ACCOUNT, CREDENTIALS, REGION } from './emulators.ts';

export interface DeploymentParts {
  /** Output folder of `cdk synth`. */
  readonly assembly: string;
  readonly outputs: string;
  /** URL of the local AWS. */
  readonly url: string;
  readonly stack: string;
}

/** The CDK command line against the local AWS. */
export interface Deployment {
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
  destroy(): Promise<string>;
}

export function createDeployment(parts: DeploymentParts): Deployment {
  const { assembly, outputs, url, stack } = parts;
  let context: readonly string[] = [];
  let outputValues: ReadonlyMap<string, string> = new Map();
  const cdk = (args: readonly string[], sources = REPOSITORY): Promise<string> =>
    runCommand({
      command: 'cdk',
      args: [...args, '--no-color'],
      cwd: sources,
      timeoutMs: 900_000,
      environment: { ...CREDENTIALS, AWS_ENDPOINT_URL: url, CI: 'true' },
    });
  const app = (): readonly string[] => ['--output', assembly, ...context];

  return {
    async bootstrap() {
      await cdk(['bootstrap', `aws://${ACCOUNT}/${REGION}`, '--app', '']);
    },
    async deploy(options = {}, sources) {
      const given = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      context = [...context, ...given];
      const flags = ['--require-approval', 'never', '--outputs-file', outputs];
      await cdk(['deploy', stack, ...app(), ...flags], sources);
      const written: unknown = JSON.parse(readFileSync(outputs, 'utf8'));
      outputValues = new Map(
        entriesOf(valueAt(written, stack)).map(([name, value]) => [name, String(value)]),
      );
    },
    output(name) {
      const value = outputValues.get(name);
      if (value === undefined) throw new Error(`the stack has no output ${name}`);
      return value;
    },
    destroy: () => cdk(['destroy', stack, ...app(), '--force']),
  };
}
