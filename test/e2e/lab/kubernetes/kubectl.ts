import { runCommand } from '../run-command.ts';

/**
 * The real command line, as the cluster's administrator.
 *
 * @returns what it wrote
 * @throws Error - it failed, with what it said
 */
export type Kubectl = (args: readonly string[], input?: string | object) => Promise<string>;

export const createKubectl =
  (program: readonly [command: string, ...args: string[]], kubeconfig: string): Kubectl =>
  (args, input = '') => {
    const [command, ...first] = program;
    return runCommand({
      command,
      args: [...first, '--kubeconfig', kubeconfig, ...args],
      input: typeof input === 'string' ? input : JSON.stringify(input),
    });
  };
