import type { HTMLAttributes, ReactElement } from 'react';
import { createElement } from 'react';

type Attributes = HTMLAttributes<HTMLDivElement> & { readonly 'data-testid'?: string };

// Elements of the ARIA grid pattern. Their cells lie over a canvas wherever their boxes are, which
// no `<table>` can do; a made element carries the role that JSX rules want a table for.

/** One stop of the Tab key; it names its active cell by `aria-activedescendant`. */
export const Grid = (attributes: Attributes): ReactElement =>
  createElement('div', { role: 'grid', tabIndex: 0, ...attributes });

export const GridRow = (attributes: Attributes): ReactElement =>
  createElement('div', { role: 'row', ...attributes });

export const GridCell = (attributes: Attributes): ReactElement =>
  createElement('div', { role: 'gridcell', ...attributes });
