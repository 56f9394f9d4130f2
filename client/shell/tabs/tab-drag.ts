import type { SessionId } from '../../../shared/ids.ts';

/** Makes tabs draggable. `onMove` gets the new index among the other tabs. */
export function enableTabDrag(strip: HTMLElement, onMove: (sessionId: SessionId, place: number) => void): void {
  let dragged: HTMLElement | null = null;

  const boxes = (): HTMLElement[] => [...strip.querySelectorAll<HTMLElement>('.tab-box')];

  /** The box before which the tab would be dropped; null for the end. */
  function targetOf(event: DragEvent): HTMLElement | null {
    const others = boxes().filter((box) => box !== dragged);
    return others.find((box) => event.clientX < middleOf(box)) ?? null;
  }

  function mark(target: HTMLElement | null): void {
    for (const box of boxes()) box.classList.toggle('is-drop-target', box === target);
    strip.classList.toggle('is-drop-end', dragged !== null && target === null);
  }

  function finish(): void {
    dragged?.classList.remove('is-dragged');
    dragged = null;
    mark(null);
  }

  strip.addEventListener('dragstart', (event) => {
    const box = (event.target as Element).closest<HTMLElement>('.tab-box');
    if (box === null) return;
    dragged = box;
    box.classList.add('is-dragged');
    event.dataTransfer?.setData('text/plain', box.dataset.session ?? '');
    if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
  });
  strip.addEventListener('dragover', (event) => {
    if (dragged === null) return;
    event.preventDefault();
    mark(targetOf(event));
  });
  strip.addEventListener('drop', (event) => {
    if (dragged === null) return;
    event.preventDefault();
    const others = boxes().filter((box) => box !== dragged);
    const target = targetOf(event);
    const place = target === null ? others.length : others.indexOf(target);
    const sessionId = dragged.dataset.session;
    finish();
    if (sessionId !== undefined) onMove(sessionId, place);
  });
  strip.addEventListener('dragend', finish);
}

function middleOf(box: HTMLElement): number {
  const { left, width } = box.getBoundingClientRect();
  return left + width / 2;
}
