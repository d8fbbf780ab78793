import { useCallback, useState } from 'react';
import type { WhatIfRequest } from '../../screen-views.ts';
import { cx } from '../class-names.ts';
import { getWhatIfOptions, postWhatIf, type WhatIfAnswer } from '../store/api.ts';
import { useUi } from '../ui/ui-context.ts';
import { usePolled } from '../ui/use-polled.ts';
import { useReady } from '../ui/use-ready.ts';
import styles from './what-if.module.css';
import { WhatIfForm } from './what-if-form.tsx';
import { WhatIfResult } from './what-if-result.tsx';

/** The workloads and NodePools to choose from; the plan itself is made on the snapshot of its time. */
const OPTIONS_EVERY_MS = 10_000;

/** Tries changes on a copy of the shown snapshot; the cluster stays as it is. */
export function WhatIfScreen() {
  const { at, whatIf } = useUi();
  const options = usePolled(
    useCallback(() => getWhatIfOptions(at), [at]),
    OPTIONS_EVERY_MS,
  );
  const [answer, setAnswer] = useState<WhatIfAnswer>();
  const [isPlanning, setPlanning] = useState(false);
  useReady(options !== undefined);

  const plan = async (request: WhatIfRequest) => {
    setPlanning(true);
    setAnswer(await postWhatIf(request, at).catch(() => NO_CONTACT));
    setPlanning(false);
  };

  return (
    <section className={cx(styles.screen)} aria-label="What-if" data-testid="whatif">
      {options ? (
        <WhatIfForm
          key={`${whatIf.manifests} ${whatIf.fix?.text}`}
          start={whatIf}
          options={options}
          isPlanning={isPlanning}
          onPlan={(request) => void plan(request)}
        />
      ) : (
        <p className={cx(styles.empty)}>Reading the snapshot …</p>
      )}
      <WhatIfResult answer={answer} isPlanning={isPlanning} />
    </section>
  );
}

const NO_CONTACT: WhatIfAnswer = { outcome: 'failed', why: 'No contact with the server.' };
