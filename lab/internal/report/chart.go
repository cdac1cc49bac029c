package report

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"regexp"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Charts are SVGs as wide as a phone, so that their text is readable there. A page shows as
// many side by side as fit.

// A theme is the colours of charts.
type theme struct {
	name                  string
	text, grid            color.NRGBA
	ahead, level, behind  color.NRGBA
	basin, other, whisker color.NRGBA
}

var (
	lightTheme = theme{
		name: "light",
		text: rgb(0x24292f), grid: rgb(0xd0d7de),
		ahead: rgb(0x2c7fb8), level: rgb(0x8c959f), behind: rgb(0xc8501e),
		basin: rgb(0x2c7fb8), other: rgb(0xc8501e), whisker: rgb(0x24292f),
	}
	darkTheme = theme{
		name: "dark",
		text: rgb(0xe6edf3), grid: rgb(0x3d444d),
		ahead: rgb(0x58a6d6), level: rgb(0x848d97), behind: rgb(0xf0883e),
		basin: rgb(0x58a6d6), other: rgb(0xf0883e), whisker: rgb(0xe6edf3),
	}
	themes = []theme{lightTheme, darkTheme}
)

func rgb(x uint32) color.NRGBA {
	return color.NRGBA{uint8(x >> 16), uint8(x >> 8), uint8(x), 0xff}
}

const (
	chartWidth  = 380 * vg.Length(1)
	barHeight   = 16 * vg.Length(1)
	textSize    = 10.5 * vg.Length(1)
	smallText   = 9.5 * vg.Length(1)
	panelHeight = 96 * vg.Length(1)
	panelsWide  = 3
)

// newPlot returns an empty plot.
func (t theme) newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, style := range []*draw.TextStyle{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Color = t.text
		style.Font.Typeface = "Liberation"
		style.Font.Variant = "Sans"
		style.Font.Size = textSize
	}
	p.X.Color, p.Y.Color = t.grid, t.grid
	p.X.Tick.Color, p.Y.Tick.Color = t.grid, t.grid
	return p
}

func (t theme) textStyle(size font.Length, x draw.XAlignment) draw.TextStyle {
	style := plot.New().X.Tick.Label
	style.Color = t.text
	style.Font.Variant = "Sans"
	style.Font.Size = size
	style.XAlign = x
	style.YAlign = draw.YCenter
	return style
}

// A ratioBar is one bar of a chart.
type ratioBar struct {
	label  string
	ratio  float64  // 0 for none
	median Estimate // of the ratios round by round, if any
	note   string   // text in place of a bar
	how    verdict
}

// maxDoublings is the longest bar: more doublings of speed are cut.
const maxDoublings = 5

// ratioBars draws bars of ratios, on a logarithmic scale.
func (t theme) ratioBars(title string, bars []ratioBar) []byte {
	p := t.newPlot()
	clip := func(ratio float64) float64 {
		return max(min(math.Log2(ratio), 3), -maxDoublings)
	}
	lowest, highest := -1.0, 0.0
	var labels []string
	for i := range bars {
		b := bars[len(bars)-1-i] // the first bar on top
		labels = append(labels, b.label)
		if b.ratio > 0 {
			lowest, highest = min(lowest, clip(b.ratio)), max(highest, clip(b.ratio))
		}
		if b.median.Lo > 0 {
			lowest, highest = min(lowest, clip(b.median.Lo)), max(highest, clip(b.median.Hi))
		}
	}
	room := 0.22 * (highest - lowest) // for the figures
	p.X.Min, p.X.Max = lowest-room, highest+room
	p.Y.Min, p.Y.Max = -0.6, float64(len(bars))-0.4
	p.NominalY(labels...)
	p.Y.Width = 0
	p.Y.Tick.Length = 0
	var ticks []plot.Tick
	for x := math.Floor(lowest); x <= math.Ceil(highest); x++ {
		label := times(math.Exp2(x))
		if highest-lowest > 5 && math.Mod(x, 2) != 0 {
			label = "" // there is no room for all
		}
		ticks = append(ticks, plot.Tick{Value: x, Label: label})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Label.Text = "basin is faster  ←  its time / the other's"
	grid := plotter.NewGrid()
	grid.Horizontal.Color = nil
	grid.Vertical.Color = t.grid
	grid.Vertical.Width = 0.5
	p.Add(grid)
	p.Add(barsOf{t, bars, clip})
	return t.svg(p, title, chartWidth, vg.Length(len(bars))*barHeight+44)
}

// times formats a ratio for an axis.
func times(x float64) string {
	if x < 1 {
		return fmt.Sprintf("1/%.0f", 1/x)
	}
	return fmt.Sprintf("%.0f×", x)
}

// barsOf draws the bars of a chart.
type barsOf struct {
	theme
	bars []ratioBar
	clip func(float64) float64
}

// Plot implements plot.Plotter.
func (b barsOf) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	half := 0.32 * (y(1) - y(0))
	for i, bar := range b.bars {
		at := y(float64(len(b.bars) - 1 - i))
		style := b.textStyle(smallText, draw.XLeft)
		if bar.ratio == 0 {
			style.Color = b.level
			c.FillText(style, vg.Point{X: x(0) + 4, Y: at}, bar.note)
			continue
		}
		end := x(b.clip(bar.ratio))
		fill := map[verdict]color.NRGBA{ahead: b.ahead, level: b.theme.level, behind: b.behind}[bar.how]
		piece := func(from, to, slantFrom, slantTo vg.Length) {
			c.FillPolygon(fill, []vg.Point{{X: from, Y: at - half}, {X: to, Y: at - half}, {X: to + slantTo, Y: at + half}, {X: from + slantFrom, Y: at + half}})
		}
		if b.clip(bar.ratio) == math.Log2(bar.ratio) {
			piece(x(0), end, 0, 0)
		} else {
			gap := vg.Length(math.Copysign(4, float64(end-x(0))))
			piece(x(0), end-3*gap, 0, gap)
			piece(end-2*gap, end, gap, 0)
		}
		outermost := end
		if bar.median.Lo > 0 {
			line := draw.LineStyle{Color: b.whisker, Width: 0.8}
			lo, hi := x(b.clip(bar.median.Lo)), x(b.clip(bar.median.Hi))
			c.StrokeLine2(line, lo, at, hi, at)
			c.StrokeLine2(line, lo, at-2, lo, at+2)
			c.StrokeLine2(line, hi, at-2, hi, at+2)
			c.DrawGlyph(draw.GlyphStyle{Color: b.whisker, Radius: 1.5, Shape: draw.CircleGlyph{}}, vg.Point{X: x(b.clip(bar.median.Median)), Y: at})
			if bar.ratio < 1 {
				outermost = min(end, lo)
			} else {
				outermost = max(end, hi)
			}
		}
		text := vg.Point{X: outermost + 4, Y: at}
		if bar.ratio < 1 {
			text.X = outermost - 4
			style.XAlign = draw.XRight
		}
		c.FillText(style, text, bar.figure())
	}
	c.StrokeLine2(draw.LineStyle{Color: b.text, Width: 1}, x(0), c.Min.Y, x(0), c.Max.Y)
}

func (b ratioBar) figure() string { return ratioString(b.ratio) }

// A panel is one of many small charts with the same axes: it compares a subject with basin.
type panel struct {
	title       string
	line, basin plotter.XYs
}

// panels draws one small chart per subject.
func (t theme) panels(title, xLabel, yLabel string, panels []panel, xTicks, yTicks []plot.Tick) []byte {
	rows := (len(panels) + panelsWide - 1) / panelsWide
	height := vg.Length(rows) * panelHeight
	canvas := vgsvg.New(chartWidth, height)
	dc := draw.New(canvas)
	tiles := draw.Tiles{Rows: rows, Cols: panelsWide, PadX: 4, PadY: 6}
	plots := make([][]*plot.Plot, rows)
	for row := range plots {
		plots[row] = make([]*plot.Plot, panelsWide)
		for col := range plots[row] {
			i := row*panelsWide + col
			if i >= len(panels) {
				continue
			}
			p := t.newPlot()
			p.Title.Text = panels[i].title
			p.Title.TextStyle.Font.Size = smallText
			p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = 7.5, 7.5
			p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(xTicks), plot.ConstantTicks(yTicks)
			if row == rows-1 && col == 0 {
				p.X.Label.Text = xLabel
				p.X.Label.TextStyle.Font.Size = 7.5
			}
			if row == 0 && col == 0 {
				p.Y.Label.Text = yLabel
				p.Y.Label.TextStyle.Font.Size = 7.5
			}
			grid := plotter.NewGrid()
			grid.Horizontal.Color, grid.Vertical.Color = t.grid, t.grid
			grid.Horizontal.Width, grid.Vertical.Width = 0.4, 0.4
			p.Add(grid)
			p.Add(lineOf(panels[i].basin, t.basin, 1, vg.Points(2), vg.Points(2)))
			p.Add(lineOf(panels[i].line, t.other, 1.6))
			p.X.Min, p.X.Max = xTicks[0].Value, xTicks[len(xTicks)-1].Value
			p.Y.Min, p.Y.Max = yTicks[0].Value, yTicks[len(yTicks)-1].Value
			plots[row][col] = p
		}
	}
	for row, canvases := range plot.Align(plots, tiles, dc) {
		for col, c := range canvases {
			if p := plots[row][col]; p != nil {
				p.Draw(c)
			}
		}
	}
	return finish(canvas, title)
}

func lineOf(xy plotter.XYs, c color.Color, width vg.Length, dashes ...vg.Length) *plotter.Line {
	return &plotter.Line{XYs: xy, LineStyle: draw.LineStyle{Color: c, Width: width, Dashes: dashes}}
}

func (t theme) svg(p *plot.Plot, title string, w, h vg.Length) []byte {
	canvas := vgsvg.New(w, h)
	p.Draw(draw.New(canvas))
	return finish(canvas, title)
}

var (
	svgHead  = regexp.MustCompile(`(?s)^.*?<svg width="([\d.]+)pt" height="([\d.]+)pt"[^>]*>`)
	svgFonts = regexp.MustCompile(`font-family:[^;]*;`)
)

// finish converts a canvas to an SVG element that scales to its place, has a title for screen
// readers, and uses generic fonts.
func finish(canvas *vgsvg.Canvas, title string) []byte {
	var b bytes.Buffer
	canvas.WriteTo(&b) // to memory: it cannot fail
	size := svgHead.FindSubmatch(b.Bytes())
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img"><title>%s</title>`, size[1], size[2], html.EscapeString(title))
	body := b.Bytes()[len(size[0]):]
	body = svgFonts.ReplaceAll(body, []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	return append([]byte(head), bytes.TrimSpace(body)...)
}
