/** The bound of a figure, drawn across a chart: all charts have it alike. */
import type uPlot from 'uplot';

/** The limit as a dashed line with its value at the right end. */
export function drawLimit(
  { ctx, bbox, valToPos }: uPlot,
  { at, text }: { readonly at: number; readonly text: string },
  colour: string,
  ground: string,
): void {
  const y = valToPos(at, 'y', true);
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  // Readable on top of a line too.
  ctx.setLineDash([]);
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.strokeStyle = ground;
  ctx.strokeText(text, bbox.left + bbox.width - 2, y - 1);
  ctx.fillText(text, bbox.left + bbox.width - 2, y - 1);
  ctx.restore();
}
