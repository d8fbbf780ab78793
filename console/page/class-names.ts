/** Joins the class names that apply. */
export const cx = (...names: readonly (string | false | undefined)[]): string => names.filter(Boolean).join(' ');

/** Text for screen readers alone. A table needs a block of this class around it: it is as high as its rows. */
export const VISUALLY_HIDDEN = 'visually-hidden';
