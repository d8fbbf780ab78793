import { createContext, useContext } from 'react';
import type { ProposedFix } from '../../screen-views.ts';
import type { ObjectRef } from '../../views.ts';
import type { Area } from '../map/layout/box-content.ts';
import type { Grouping } from '../map/layout/lanes.ts';
import type { Compared, Screen, View } from './address.ts';
import type { KeysChoice } from './use-keys.ts';
import type { ThemeChoice } from './use-theme.ts';

/** A change that an explanation proposed, as the page names it. */
export interface ChosenFix extends ProposedFix {
  readonly text: string;
}

/** The change with which What-if begins. */
export interface WhatIfStart {
  readonly manifests?: string | undefined;
  readonly fix?: ChosenFix | undefined;
}

/** The user's choices on this page. */
export interface Ui extends ThemeChoice, KeysChoice {
  readonly screen: Screen;
  /** The moment that the page shows; undefined while it is live. */
  readonly at?: number | undefined;
  readonly compare: Compared;
  readonly selected?: ObjectRef | undefined;
  readonly view: View;
  readonly grouping: Grouping;
  readonly area: Area;
  /** The filter of the table of nodes. */
  readonly filter: string;
  readonly isWide: boolean;
  readonly isHelpOpen: boolean;
  /** True if a narrow page shows the feed over the map. */
  readonly isFeedOpen: boolean;
  readonly whatIf: WhatIfStart;
  setScreen(screen: Screen): void;
  openWhatIf(start: WhatIfStart): void;
  setAt(at: number | undefined): void;
  setCompare(compare: Compared): void;
  select(object: ObjectRef | undefined): void;
  setView(view: View): void;
  setGrouping(grouping: Grouping): void;
  setArea(area: Area): void;
  setFilter(filter: string): void;
  setWide(isWide: boolean): void;
  setHelpOpen(isOpen: boolean): void;
  setFeedOpen(isOpen: boolean): void;
}

export const UiContext = createContext<Ui | undefined>(undefined);

export function useUi(): Ui {
  const ui = useContext(UiContext);
  if (!ui) throw new Error('useUi outside of UiContext');
  return ui;
}
