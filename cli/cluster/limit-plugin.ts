import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import * as z from 'zod';
import { MINUTE_MS } from '../../shared/model/time.ts';

const PLUGIN_TIMEOUT_MS = MINUTE_MS;
const CHANNEL = 'child_process';
const messageSchema = z.object({ process: z.instanceof(ChildProcess) });

/**
 * Runs work of `@kubernetes/client-node` that starts a credential plugin. The library waits without limit, leaves the
 * input of the plugin open, and keeps its process to itself. Node.js reports each process that it starts: the plugin
 * gets an empty input, and is killed after a minute, or when the command ends first. A process that a plugin has
 * started itself is not killed.
 *
 * @see Node.js, diagnostics_channel: the channel `child_process`
 * @throws Error - no answer within a minute; errors of the work
 */
export async function limitPlugin(command: string, work: () => Promise<void>): Promise<void> {
  const plugins = new Set<ChildProcess>();
  const onStart = (message: unknown): void => {
    const { process: child } = messageSchema.parse(message);
    child.once('spawn', () => {
      if (child.spawnfile !== command) return;
      plugins.add(child);
      child.stdin?.end();
    });
    child.once('exit', () => plugins.delete(child));
  };
  const kill = (): void => {
    for (const plugin of plugins) plugin.kill('SIGKILL');
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      kill();
      reject(new Error('it gave no answer within a minute'));
    }, PLUGIN_TIMEOUT_MS);
  });

  subscribe(CHANNEL, onStart);
  process.once('exit', kill);
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
    process.off('exit', kill);
    unsubscribe(CHANNEL, onStart);
  }
}
