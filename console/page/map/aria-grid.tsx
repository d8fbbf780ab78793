import type { HTMLAttributes, ReactElement } from 'react';
import { createElement } from 'react';

type Attributes = HTMLAttributes<HTMLDivElement> & { readonly 'data-testid'?: string };

// Elements of the ARIA grid pattern. Their cells lie over a canvas at the positions of their boxes,
// which a `<table>` cannot do; `createElement` sets roles that the JSX lint rules reserve for
// tables.

/** A single tab stop; it names its active cell by `aria-activedescendant`. */
export const Grid = (attributes: Attributes): ReactElement =>
  createElement('div', { role: 'grid', tabIndex: 0, ...attributes });

export const GridRow = (attributes: Attributes): ReactElement =>
  createElement('div', { role: 'row', ...attributes });

export const GridCell = (attributes: Attributes): ReactElement =>
  createElement('div', { role: 'gridcell', ...attributes });
