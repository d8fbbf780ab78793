import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Programs } from '../programs.ts';
import { PATH, REPOSITORY } from '../repository.ts';

export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';

/** Credentials that every client of the local AWS uses. */
export const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: REGION,
  AWS_DEFAULT_REGION: REGION,
} as const;

export interface Emulator {
  readonly url: string;
  readonly port: number;
}

export interface EmulatorParts {
  readonly programs: Programs;
  /** Folder with `python3` and `moto_server`. */
  readonly tools: string;
  readonly folder: string;
}

/** Starts EC2 and SSM: all instance types, instant fleets, launch templates, public parameters. */
export async function startMoto({ programs, tools }: EmulatorParts, port: number): Promise<Emulator> {
  const url = `http://127.0.0.1:${port}`;
  const program = programs.start({
    name: 'moto',
    command: join(tools, 'moto_server'),
    args: ['-H', '127.0.0.1', '-p', `${port}`],
    environment: CREDENTIALS,
  });
  await programs.ready(program, () => fetch(`${url}/moto-api/`));
  return { url, port };
}

export interface MinistackOptions {
  readonly port: number;
  /**
   * AWS endpoints for the functions and their child processes: EC2 has its own, the other services
   * share one.
   */
  readonly endpoints: Readonly<Record<string, string>>;
  /** The folder whose `node` runs the functions. */
  readonly nodeFolder: string;
  /** The proxy with the rules; without it, the emulator applies none. */
  readonly rules?: { readonly port: number; readonly stepsUrl: string };
  /** Port of the API server that the emulated EKS reports for the first cluster. */
  readonly apiServerPort: number;
}

/** Starts all services except EC2. */
export async function startMinistack(
  { programs, tools, folder }: EmulatorParts,
  { port, endpoints, nodeFolder, rules, apiServerPort }: MinistackOptions,
): Promise<Emulator> {
  const url = `http://127.0.0.1:${port}`;
  const temporary = join(folder, 'ministack');
  mkdirSync(temporary, { recursive: true });
  const program = programs.start({
    name: 'ministack',
    command: join(tools, 'python3'),
    args: [join(REPOSITORY, 'test/e2e/lab/aws/serve_ministack.py')],
    environment: {
      ...CREDENTIALS,
      ...endpoints,
      ...(rules && { LAB_RULES: rules.stepsUrl }),
      GATEWAY_PORT: `${rules?.port ?? port}`,
      LAB_PORT: `${port}`,
      BIND_HOST: '127.0.0.1',
      MINISTACK_HOST: '127.0.0.1',
      // These listeners would open further ports on all network interfaces.
      IOT_MTLS_ENABLED: 'false',
      SFTP_ENABLED: 'false',
      EKS_BASE_PORT: `${apiServerPort}`,
      TMPDIR: temporary,
      PATH: `${nodeFolder}:${PATH}`,
    },
  });
  await programs.ready(program, () => fetch(`${url}/_ministack/health`));
  return { url, port };
}
