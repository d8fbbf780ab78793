import { runCommand } from '../run-command.ts';

/**
 * Runs kubectl as the cluster's administrator.
 *
 * @returns its standard output
 * @throws Error - kubectl failed; the message contains its output
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
