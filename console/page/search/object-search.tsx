import type { FocusEvent, KeyboardEvent } from 'react';
import { useMemo, useRef, useState } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import { formatCount } from '../../format.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { SearchIcon } from '../controls/icons.tsx';
import { getDecisions, getPools } from '../store/api.ts';
import { clusterNow } from '../store/page-clock.ts';
import { usePage, usePageStore } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import type { Finding, Searched } from './find-objects.ts';
import { findObjects } from './find-objects.ts';
import styles from './search.module.css';

const LABEL = 'Find an object or a time';

/** Finds objects by a part of their name, and times; Enter opens the first or the selected one. */
export function ObjectSearch() {
  const { select, setAt, setScreen } = useUi();
  const model = usePage((state) => state.model);
  const store = usePageStore();
  const [text, setText] = useState('');
  const [listed, setListed] = useState(NOTHING_LISTED);
  const input = useRef<HTMLInputElement>(null);
  const { shown, more } = useMemo(() => {
    const { clock } = store.get();
    return findObjects({ model, ...listed, now: clock ? clusterNow(clock, performance.now()) : 0 }, text);
  }, [model, listed, text, store]);

  const list = () =>
    // Decisions and NodePools that cannot be read are missing in the list.
    void Promise.all([getDecisions(0, Number.MAX_SAFE_INTEGER), getPools()]).then(
      ([decisions, pools]) =>
        setListed({
          decisions: decisions ?? [],
          pools: (pools?.pools ?? []).map(({ name }) => name),
        }),
      () => undefined,
    );

  const leave = () => {
    setText('');
    // Global keys are ignored while the field has the focus.
    input.current?.blur();
  };

  const choose = (id: string) => {
    const target = shown.find((candidate) => candidate.id === id)?.target;
    if (target?.kind === 'object') select(target.object);
    if (target?.kind === 'moment') {
      setScreen('timeline');
      setAt(target.at);
    }
    leave();
  };

  // A click on an option returns the focus to the field afterwards.
  const chooseInList = (id: string) => {
    choose(id);
    requestAnimationFrame(leave);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const [first] = shown;
    if (event.key === 'Escape' && text === '') leave();
    if (event.key !== 'Enter' || !first || isInList(input.current)) return;
    event.preventDefault();
    event.stopPropagation();
    choose(first.id);
  };

  // Arrow keys move a virtual focus into the list, which the input reports as blur.
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) setText('');
  };

  return (
    <search className={cx(styles.search)} onBlur={onBlur} onKeyDownCapture={onKeyDown}>
      {/* By default the list keeps the option that was first before the last letter. */}
      <Autocomplete inputValue={text} onInputChange={setText} disableAutoFocusFirst={true}>
        <SearchField aria-label={LABEL} className={cx(styles.field)} data-search="true" onFocus={list}>
          <SearchIcon />
          <Input ref={input} placeholder={LABEL} className={cx(styles.input)} />
          <span className={cx(styles.hint)} aria-hidden="true">
            /
          </span>
        </SearchField>
        {text !== '' && <FindingList items={shown} more={more} onChoose={chooseInList} />}
      </Autocomplete>
    </search>
  );
}

const NOTHING_LISTED: Pick<Searched, 'decisions' | 'pools'> = { decisions: [], pools: [] };

/** After an arrow key the list knows the selected option. */
const isInList = (input: HTMLInputElement | null): boolean => input?.hasAttribute('aria-activedescendant') === true;

interface FindingListProps {
  readonly items: readonly Finding[];
  readonly more: number;
  readonly onChoose: (id: string) => void;
}

function FindingList({ items, more, onChoose }: FindingListProps) {
  return (
    <div className={cx(controls.list, styles.findings)}>
      <ListBox
        aria-label="Found"
        items={items}
        onAction={(id) => onChoose(String(id))}
        renderEmptyState={() => <p className={cx(styles.none)}>Nothing of that name is here.</p>}
      >
        {({ id, name, about }) => (
          <ListBoxItem id={id} textValue={name} className={cx(controls.option)}>
            <span className={cx(styles.name)}>{name}</span>
            <span className={cx(styles.about)}>{about}</span>
          </ListBoxItem>
        )}
      </ListBox>
      {more > 0 && <p className={cx(styles.none)}>{formatCount(more)} more</p>}
    </div>
  );
}
