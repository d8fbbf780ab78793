import type { PollLoop, PollMessage, PollState } from '../../../shared/ports/work-queue.ts';

export interface FakeLoop extends PollLoop {
  readonly sent: { readonly message: PollMessage; readonly at: number }[];
  state: PollState | undefined;
}

/** The poll loop in memory. */
export function aFakeLoop(): FakeLoop {
  const isAt = (observed: Pick<PollState, 'generation' | 'turn'> | undefined): boolean =>
    loop.state?.generation === observed?.generation && loop.state?.turn === observed?.turn;

  const loop: FakeLoop = {
    sent: [],
    state: undefined,
    find: async () => loop.state,
    async replace(next, observed) {
      if (!isAt(observed)) return false;
      loop.state = next;
      return true;
    },
    async take({ generation, turn, until }, at) {
      if (!isAt({ generation, turn })) return false;
      loop.state = { generation, turn: turn + 1, until, at };
      return true;
    },
    async send(message, at) {
      loop.sent.push({ message, at });
    },
  };
  return loop;
}
