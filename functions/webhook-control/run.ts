import {
  disableHooks,
  keepHooks,
  probeHooks,
  restoreHooks,
  rotateToken,
  type WebhookControlPorts,
} from '../../shared/controllers/webhooks/webhook-control.ts';
import type { HookCommand } from './command.ts';

export function runCommand(ports: WebhookControlPorts, command: HookCommand): Promise<void> {
  switch (command.action) {
    case 'keep':
      return keepHooks(ports);
    case 'withdraw-hooks':
      return disableHooks(ports, command);
    case 'probe-hooks':
      return probeHooks(ports);
    case 'restore-hooks':
      return restoreHooks(ports);
    case 'rotate-token':
      return rotateToken(ports);
  }
}
