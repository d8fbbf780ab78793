import type { DisruptionCommand } from '../model/plans.ts';
import type { Commands } from '../ports/commands.ts';

export function simCommands(): Commands {
  const commands = new Map<string, DisruptionCommand>();

  return {
    list: async () => [...commands.values()],
    async add(command) {
      if (!commands.has(command.id)) commands.set(command.id, command);
    },
    async remove(id) {
      commands.delete(id);
    },
  };
}
