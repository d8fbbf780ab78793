import { Button } from 'react-aria-components';
import { formatTime, shortenTimes } from '../../format.ts';
import type { ExplanationView, FixView } from '../../screen-views.ts';
import type { ObjectRef } from '../../views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { CopyButton } from '../controls/copy-button.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { CloseIcon, LinkIcon, WideIcon } from '../controls/icons.tsx';
import { LinkedText, NoteText, ObjectLink } from '../controls/linked-text.tsx';
import { useUi } from '../ui/ui-context.ts';
import { useAnswer } from './answer-context.ts';
import { Drawing, Lines } from './evidence.tsx';
import styles from './explain.module.css';

/** The explanation of the selected object. */
export function ExplainPanel() {
  const answer = useAnswer();
  if (answer.state === 'none') return null;
  const object = answer.state === 'answered' ? answer.explanation.subject : answer.object;
  return (
    <section className={cx(styles.panel)} data-testid="explain-panel" aria-label={`Answer about ${object.name}`}>
      <div className={cx(styles.top)}>
        <p className={cx(styles.question)}>{QUESTIONS[object.kind]}</p>
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

const QUESTIONS: Readonly<Record<ObjectRef['kind'], string>> = {
  pod: 'Why is this pod here?',
  node: 'Why is this node here?',
  nodepool: 'What does this NodePool do?',
  decision: 'What was decided here?',
};

const GONE: Readonly<Record<ObjectRef['kind'], string>> = {
  pod: 'There is no pod of this name, nor was there one since this console started.',
  node: 'There is no node of this name, nor was there one since this console started.',
  nodepool: 'There is no NodePool of this name, nor was there one since this console started.',
  decision: 'This console does not keep this decision: it keeps the newest since it started.',
};

function PanelButtons({ explanation }: { readonly explanation: ExplanationView | undefined }) {
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

/** Outcomes that need watching, and those that cannot proceed. */
const TONES: Readonly<Partial<Record<NonNullable<ExplanationView['outcome']>, 'bad' | 'warn'>>> = {
  pending: 'bad',
  'not-ready': 'bad',
  leaving: 'warn',
  goes: 'warn',
};

function AnswerBody({ explanation }: { readonly explanation: ExplanationView }) {
  const { outcome, verdict, reasons, fixes, next, alternative, evidence, objects, goneAt } = explanation;
  const lines = [
    ...(alternative ? [{ label: 'without it', text: alternative.text }] : []),
    ...evidence.filter(({ figures }) => !figures),
  ];
  return (
    <>
      {goneAt !== undefined && (
        <p className={cx(styles.gone)} data-testid="explain-gone">
          Gone since {formatTime(goneAt)}. Below is what held until then.
        </p>
      )}
      <div className={cx(styles.verdict)} data-tone={outcome && TONES[outcome]} data-testid="explain-verdict">
        <p>
          <LinkedText text={shortenTimes(verdict)} objects={objects} />
        </p>
        <Lines
          lines={reasons.map(({ object, text }) => ({
            label: object === explanation.subject.name ? '' : object,
            text,
          }))}
          objects={objects}
        />
      </div>
      {next && (
        <p className={cx(styles.next)}>
          <LinkedText text={shortenTimes(next.text)} objects={objects} />
          {next.at !== undefined && (
            <>
              {' In '}
              <NoteText note={{ text: '', until: next.at }} />.
            </>
          )}
        </p>
      )}
      {fixes.length > 0 && <FixBox fixes={fixes} object={explanation.subject} />}
      <Lines lines={lines} objects={objects} />
      {evidence.map(({ label, figures }) => figures && <Drawing key={label} label={label} figures={figures} />)}
    </>
  );
}

/** Changes that help. Each was tried: with it, the planner decides otherwise. */
function FixBox({ fixes, object }: { readonly fixes: readonly FixView[]; readonly object: ObjectRef }) {
  const { openWhatIf } = useUi();
  return (
    <div className={cx(styles.fix)} data-testid="explain-fix">
      <h3>{fixes.length === 1 ? 'What would help' : 'What would help, best first'}</h3>
      <ol>
        {fixes.map(({ id, text, patch, manifest, isTriable }) => (
          <li key={id}>
            <p>{text}</p>
            {patch !== undefined && (
              <div className={cx(styles.patch)}>
                <pre>{patch}</pre>
                <CopyButton text={patch} label="Copy" />
              </div>
            )}
            {(manifest !== undefined || isTriable) && (
              <Button
                className={cx(controls.button)}
                data-testid="try-fix"
                onPress={() => openWhatIf(isTriable ? { fix: { object, id, text } } : { manifests: manifest })}
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
