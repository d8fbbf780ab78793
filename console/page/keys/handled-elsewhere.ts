/** True if a text field, a dialog or a focused control handles the key. */
export function isHandledElsewhere(event: KeyboardEvent): boolean {
  const { key, target, defaultPrevented } = event;
  if (defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  if (!(target instanceof Element)) return false;
  if (target.closest('input, textarea, select, [role="dialog"], [role="listbox"]')) return true;
  return key === ' ' && target.closest('button, a, [role="button"]') !== null;
}
