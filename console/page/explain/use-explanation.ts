import { useEffect, useState } from 'react';
import type { ExplanationView } from '../../screen-views.ts';
import type { ObjectRef } from '../../views.ts';
import { getExplanation } from '../store/api.ts';
import { usePage } from '../store/use-page.ts';

export type Answer =
  | { readonly state: 'none' }
  | { readonly state: 'asking'; readonly object: ObjectRef }
  | { readonly state: 'gone'; readonly object: ObjectRef }
  | { readonly state: 'answered'; readonly explanation: ExplanationView };

/**
 * The explanation may change without a change on the page, so it is fetched again at this interval.
 */
const AGAIN_MS = 2_000;

/**
 * Fetches the explanation of the selected object, as of a moment; the previous one stays until the new one arrives.
 */
export function useExplanation(selected: ObjectRef | undefined, at?: number): Answer {
  const [answer, setAnswer] = useState<Answer>({ state: 'none' });
  const isLive = usePage(({ contact }) => contact.state === 'live');
  const { kind, name } = selected ?? {};

  useEffect(() => {
    if (kind === undefined || name === undefined) return setAnswer({ state: 'none' });
    const object = { kind, name };
    let isOpen = true;
    const ask = async () => {
      const explanation = await getExplanation(object, at);
      if (!isOpen) return;
      setAnswer(explanation ? { state: 'answered', explanation } : { state: 'gone', object });
    };
    // Without a connection the last explanation stays, like the rest of the page.
    const tryToAsk = () => void ask().catch(() => undefined);
    setAnswer((shown) => (isAbout(shown, object) ? shown : { state: 'asking', object }));
    if (!isLive) return;
    tryToAsk();
    const timer = setInterval(tryToAsk, AGAIN_MS);
    return () => {
      isOpen = false;
      clearInterval(timer);
    };
  }, [kind, name, isLive, at]);

  return answer;
}

const isAbout = (answer: Answer, { kind, name }: ObjectRef): boolean =>
  answer.state === 'answered' && answer.explanation.subject.kind === kind && answer.explanation.subject.name === name;
