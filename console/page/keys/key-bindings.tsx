import { useEffect } from 'react';
import { nextTheme } from '../frame/top-bar.tsx';
import { listAreas } from '../map/layout/box-content.ts';
import { GROUPINGS } from '../map/layout/lanes.ts';
import { postPlay } from '../store/api.ts';
import type { PageState } from '../store/page-store.ts';
import { usePage, usePageStore } from '../store/use-page.ts';
import { useJump } from '../timeline/use-jump.ts';
import { SCREENS, toParentSelection } from '../ui/address.ts';
import { useUi } from '../ui/ui-context.ts';
import { isHandledElsewhere } from './handled-elsewhere.ts';

/** Global keys; ignored in text fields and in controls with keys of their own. */
export function KeyBindings() {
  const ui = useUi();
  const store = usePageStore();
  const jump = useJump();
  const isPaused = usePage(({ clock }) => clock?.paused ?? false);
  const canPlay = usePage(({ model }) => model?.play !== undefined);

  useEffect(() => {
    const actions: Readonly<Record<string, () => void>> = {
      '/': () => document.querySelector<HTMLInputElement>('[data-search] input')?.focus(),
      Escape: () => ui.select(toParentSelection(ui.selected, store.get().model)),
      ...Object.fromEntries(SCREENS.map((screen, index) => [`${index + 1}`, () => ui.setScreen(screen)])),
      l: () => ui.setAt(undefined),
      '[': () => jump('earlier'),
      ']': () => jump('later'),
      g: () => ui.setGrouping(nextOf(GROUPINGS, ui.grouping)),
      a: () => ui.setArea(nextOf(listAreas(countGpus(store.get())), ui.area)),
      w: () => ui.setWide(!ui.isWide),
      v: () => ui.setView(ui.view === 'map' ? 'table' : 'map'),
      t: () => ui.setTheme(nextTheme(ui.theme)),
      c: () => void navigator.clipboard.writeText(location.href),
      '?': () => ui.setHelpOpen(!ui.isHelpOpen),
      ...(canPlay && { ' ': () => void postPlay('clock', { paused: !isPaused }) }),
    };
    const onKey = (event: KeyboardEvent) => {
      const action = actions[event.key];
      const isOff = !ui.areKeysOn && event.key !== 'Escape';
      if (!action || isOff || isHandledElsewhere(event)) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [ui, store, jump, isPaused, canPlay]);

  return null;
}

const countGpus = ({ model }: PageState): number => model?.totals.allocatable.gpu ?? 0;

const nextOf = <T,>(all: readonly T[], one: T): T => all[(all.indexOf(one) + 1) % all.length] ?? one;
