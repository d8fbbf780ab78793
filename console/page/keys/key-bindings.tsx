import { useEffect } from 'react';
import { nextTheme } from '../frame/top-bar.tsx';
import { AREAS } from '../map/box-content.ts';
import { GROUPINGS } from '../map/groups.ts';
import { postPlay } from '../store/api.ts';
import { usePage, usePageStore } from '../store/use-page.ts';
import { outOf } from '../ui/address.ts';
import { useUi } from '../ui/ui-context.ts';

/** Global keys; ignored in text fields and in controls with keys of their own. */
export function KeyBindings() {
  const ui = useUi();
  const store = usePageStore();
  const isPaused = usePage(({ clock }) => clock?.paused ?? false);
  const canPlay = usePage(({ model }) => model?.play !== undefined);

  useEffect(() => {
    const actions: Readonly<Record<string, () => void>> = {
      '/': () => document.querySelector<HTMLInputElement>('[data-search] input')?.focus(),
      Escape: () => ui.select(outOf(ui.selected, store.get().model)),
      g: () => ui.setGrouping(after(GROUPINGS, ui.grouping)),
      a: () => ui.setArea(after(AREAS, ui.area)),
      w: () => ui.setWide(!ui.isWide),
      t: () => ui.setTheme(nextTheme(ui.theme)),
      c: () => void navigator.clipboard.writeText(location.href),
      '?': () => ui.setHelpOpen(!ui.isHelpOpen),
      ...(canPlay ? { ' ': () => void postPlay('clock', { paused: !isPaused }) } : {}),
    };
    const onKey = (event: KeyboardEvent) => {
      const action = actions[event.key];
      if (!action || isSpokenFor(event)) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [ui, store, isPaused, canPlay]);

  return null;
}

const after = <T,>(all: readonly T[], one: T): T => all[(all.indexOf(one) + 1) % all.length] ?? one;

function isSpokenFor(event: KeyboardEvent): boolean {
  const { key, target, defaultPrevented } = event;
  if (defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (!(target instanceof Element)) return false;
  if (target.closest('input, textarea, select, [role="dialog"], [role="listbox"]')) return true;
  return key === ' ' && target.closest('button, a, [role="button"]') !== null;
}
