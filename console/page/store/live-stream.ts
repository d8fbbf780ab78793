import type { ClockView, DecisionView, EventView, Keyframe, PatchView } from '../../views.ts';

export interface StreamHandlers {
  onKeyframe(keyframe: Keyframe): void;
  onPatch(patch: PatchView): void;
  onEvent(event: EventView): void;
  onDecision(decision: DecisionView): void;
  onClock(clock: ClockView): void;
  /**
   * @param retryAt - time of the next attempt, as in `Date.now()`
   */
  onLost(retryAt: number): void;
  /** The server ends, and another one follows at once. */
  onRestart(): void;
}

/** A connection that is silent for this long is dead. */
const SILENCE_MS = 5_000;
const RETRIES_MS = [1_000, 2_000, 4_000, 5_000];
/** A server that follows at once answers within some of these. */
const RESTART_MS = 250;
const RESTART_TRIES = 20;

/**
 * Follows the server's stream. It reconnects by itself, because an EventSource does not report its
 * next attempt and does not notice a dead connection.
 *
 * @returns a function that stops it
 */
export function liveStream(handlers: StreamHandlers): () => void {
  let lastId = '';
  let failures = 0;
  let restartTries = 0;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const wait = (ms: number, then: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(then, ms);
  };

  const lost = () => {
    source?.close();
    if (restartTries > 0) {
      restartTries -= 1;
      return wait(RESTART_MS, open);
    }
    const delay = RETRIES_MS[Math.min(failures, RETRIES_MS.length - 1)] ?? 1_000;
    failures += 1;
    handlers.onLost(Date.now() + delay);
    wait(delay, open);
  };

  const open = () => {
    const stream = new EventSource(`/api/stream?after=${encodeURIComponent(lastId)}`);
    source = stream;
    const on = <T>(type: string, handle: (data: T) => void) => {
      stream.addEventListener(type, (message: MessageEvent<string>) => {
        failures = 0;
        if (message.lastEventId !== '') lastId = message.lastEventId;
        wait(SILENCE_MS, lost);
        handle(parsed<T>(message.data));
      });
    };
    on<Keyframe>('state', handlers.onKeyframe);
    on<PatchView>('patch', handlers.onPatch);
    on<EventView>('event', handlers.onEvent);
    on<DecisionView>('decision', handlers.onDecision);
    on<ClockView>('clock', handlers.onClock);
    on('restart', () => {
      restartTries = RESTART_TRIES;
      handlers.onRestart();
      lost();
    });
    stream.addEventListener('error', lost);
    wait(SILENCE_MS, lost);
  };

  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

// Page and server are one build: the server reloads an older page, so messages have the type that
// both were compiled with.
const parsed = <T>(text: string): T => JSON.parse(text) as T;
