import { Button } from 'react-aria-components';
import type { Explanation, FixRow } from '../../explanation.ts';
import { formatTime } from '../../format.ts';
import type { ObjectRef } from '../../views.ts';
import { cx } from '../class-names.ts';
import { CapacityGlyph } from '../controls/capacity-glyph.tsx';
import controls from '../controls/controls.module.css';
import { CopyButton } from '../controls/copy-button.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { CloseIcon, LinkIcon, WideIcon } from '../controls/icons.tsx';
import { LinkedText, NoteText, ObjectLink } from '../controls/linked-text.tsx';
import { useUi } from '../ui/ui-context.ts';
import { useAnswer } from './answer-context.ts';
import { EvidencePart } from './evidence.tsx';
import styles from './explain.module.css';

/** The recorded explanation of the selected object. */
export function ExplainPanel() {
  const answer = useAnswer();
  if (answer.state === 'none') return null;
  const object = answer.state === 'answered' ? answer.explanation.subject : answer.object;
  return (
    <section className={cx(styles.panel)} data-testid="explain-panel" aria-label={`Answer about ${object.name}`}>
      <div className={cx(styles.top)}>
        <p className={cx(styles.question)}>{answer.state === 'answered' ? answer.explanation.question : 'Why?'}</p>
        <PanelButtons explanation={answer.state === 'answered' ? answer.explanation : undefined} />
      </div>
      <Subject object={object} />
      {answer.state === 'answered' && <AnswerBody explanation={answer.explanation} />}
      {answer.state === 'gone' && (
        <p className={cx(styles.verdict)} data-testid="explain-verdict">
          {GONE[object.kind]}
        </p>
      )}
    </section>
  );
}

const GONE: Readonly<Record<ObjectRef['kind'], string>> = {
  pod: 'There is no pod of this name, nor was there one since this console started.',
  node: 'There is no node of this name, nor was there one since this console started.',
  nodepool: 'There is no NodePool of this name, nor was there one since this console started.',
  decision: 'This console does not keep this decision: it keeps the newest since it started.',
};

function PanelButtons({ explanation }: { readonly explanation: Explanation | undefined }) {
  const { select, isWide, setWide } = useUi();
  return (
    <div className={cx(styles.buttons)}>
      {explanation?.decision && explanation.subject.kind !== 'decision' && (
        <span className={cx(styles.decision)}>
          <ObjectLink
            object={{ kind: 'decision', name: explanation.decision.id }}
            text={`decided ${formatTime(explanation.decision.at)}`}
          />
        </span>
      )}
      <IconButton label="Copy link (C)" onPress={() => void navigator.clipboard.writeText(location.href)}>
        <LinkIcon />
      </IconButton>
      <IconButton label="Wide (W)" isPressed={isWide} onPress={() => setWide(!isWide)}>
        <WideIcon />
      </IconButton>
      <IconButton label="Close (Esc)" onPress={() => select(undefined)}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}

/** A pod's namespace is less prominent than its name. */
function Subject({ object: { name } }: { readonly object: ObjectRef }) {
  const slash = name.indexOf('/');
  return (
    <h2 className={cx(styles.subject)}>
      {slash > 0 && <span>{name.slice(0, slash + 1)}</span>}
      {name.slice(slash + 1)}
    </h2>
  );
}

/** Capacity types have their shape here as well. */
function Facts({ facts }: Pick<Explanation, 'facts'>) {
  const capacityType = CAPACITY_TYPES.find((type) => facts.includes(type));
  return (
    <p className={cx(styles.facts)}>
      {capacityType && <CapacityGlyph capacityType={capacityType} />} {facts.join(' · ')}
    </p>
  );
}

const CAPACITY_TYPES = ['spot', 'on-demand', 'reserved'] as const;

function AnswerBody({ explanation }: { readonly explanation: Explanation }) {
  const { facts, verdict, until, tone, fixes = [], evidence, goneAt } = explanation;
  return (
    <>
      <Facts facts={facts} />
      {goneAt !== undefined && (
        <p className={cx(styles.gone)} data-testid="explain-gone">
          Gone since {formatTime(goneAt)}. Below is what held until then.
        </p>
      )}
      <p className={cx(styles.verdict)} data-tone={tone} data-testid="explain-verdict">
        <LinkedText {...verdict} />
        {until !== undefined && (
          <>
            {' '}
            <NoteText note={{ text: '', until }} />.
          </>
        )}
      </p>
      {fixes.length > 0 && <FixBox fixes={fixes} />}
      <div className={cx(styles.evidence)}>
        {evidence.map((part) => (
          <EvidencePart key={part.title} part={part} />
        ))}
      </div>
    </>
  );
}

/** Changes that help. Each was tried: with it, the planner decides otherwise. */
function FixBox({ fixes }: { readonly fixes: readonly FixRow[] }) {
  const { openWhatIf } = useUi();
  return (
    <div className={cx(styles.fix)} data-testid="explain-fix">
      <h3>{fixes.length === 1 ? 'What would help' : 'What would help, best first'}</h3>
      <ol>
        {fixes.map(({ text, patch, manifest, fix }) => (
          <li key={text}>
            <p>{text}</p>
            {patch !== undefined && (
              <div className={cx(styles.patch)}>
                <pre>{patch}</pre>
                <CopyButton text={patch} label="Copy" />
              </div>
            )}
            {(manifest ?? fix) !== undefined && (
              <Button
                className={cx(controls.button)}
                data-testid="try-fix"
                onPress={() => openWhatIf({ manifests: manifest, fix })}
              >
                Try it in What-if
              </Button>
            )}
          </li>
        ))}
      </ol>
      <p className={cx(styles.checked)}>Checked: the planner decides otherwise with each of them.</p>
    </div>
  );
}
