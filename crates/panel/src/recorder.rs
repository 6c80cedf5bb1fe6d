//! Pictures of the panel as files.

use crate::Grid;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

/// Format of a picture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// All pictures, one for each superframe in which an LED has changed.
    Gif,
    /// The last picture.
    Png,
    /// The last picture.
    Svg,
}

impl PictureFormat {
    /// Names of the formats, for messages.
    pub const ACCEPTED: &str = "a name that ends in .gif, .png or .svg";

    /// Format of a file with this name.
    pub fn of(path: &Path) -> Option<Self> {
        let end = path.extension()?.to_str()?;
        let formats =
            [("gif", PictureFormat::Gif), ("png", PictureFormat::Png), ("svg", PictureFormat::Svg)];
        let mut formats = formats.into_iter();
        formats.find(|(name, _)| end.eq_ignore_ascii_case(name)).map(|(_, format)| format)
    }
}

/// Pixels of an LED in each direction, with the gap to the next one.
const PITCH: usize = 8;
const DIAMETER: usize = 7;

/// Most pictures of a GIF, for at most some MB.
const FRAMES_MAX: usize = 3000;

/// Time of a superframe in a GIF, and the longest time of a picture, in 1/100 s.
const FRAME_TIME: u16 = 10;
const FRAME_TIME_MAX: u16 = 100;

/// Picture of the panel: brightness by place, row after row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub superframe: u64,
    pub leds: Vec<u8>,
}

/// Collects pictures, and writes them to a file.
#[derive(Clone, Debug)]
pub struct Recorder {
    format: PictureFormat,
    pictures: Vec<Picture>,
    /// Pictures that a GIF had no room for.
    pub dropped: u64,
}

impl Recorder {
    pub fn new(format: PictureFormat) -> Self {
        Recorder { format, pictures: vec![], dropped: 0 }
    }

    /// Records the panel at the start of a superframe, if it has changed.
    pub fn record(&mut self, superframe: u64, leds: &[u8]) {
        if self.pictures.last().is_some_and(|last| last.leds == leds) {
            return;
        }
        let picture = Picture { superframe, leds: leds.to_vec() };
        match self.format {
            PictureFormat::Gif if self.pictures.len() >= FRAMES_MAX => self.dropped += 1,
            PictureFormat::Gif => self.pictures.push(picture),
            PictureFormat::Png | PictureFormat::Svg => self.pictures = vec![picture],
        }
    }

    /// The recorded pictures.
    pub fn pictures(&self) -> &[Picture] {
        &self.pictures
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, grid: Grid, out: &mut dyn Write) -> io::Result<()> {
        let dark = Picture { superframe: 0, leds: vec![0; grid.rows * grid.columns] };
        let last = self.pictures.last().unwrap_or(&dark);
        match self.format {
            PictureFormat::Gif => self.write_gif(grid, &dark, out),
            PictureFormat::Png => write_png(grid, last, out),
            PictureFormat::Svg => out.write_all(svg(grid, last).as_bytes()),
        }
    }

    fn write_gif(&self, grid: Grid, dark: &Picture, out: &mut dyn Write) -> io::Result<()> {
        let size = |leds: usize| u16::try_from(leds * PITCH).map_err(io::Error::other);
        let (width, height) = (size(grid.columns)?, size(grid.rows)?);
        let mut gif =
            gif::Encoder::new(out, width, height, &palette()).map_err(io::Error::other)?;
        gif.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
        let pictures =
            if self.pictures.is_empty() { std::slice::from_ref(dark) } else { &self.pictures };
        for (i, picture) in pictures.iter().enumerate() {
            let lasts = pictures.get(i + 1).map(|next| next.superframe - picture.superframe);
            let lasts = lasts.and_then(|superframes| u16::try_from(superframes).ok());
            let delay =
                lasts.map_or(FRAME_TIME_MAX, |superframes| superframes.saturating_mul(FRAME_TIME));
            let frame = gif::Frame {
                width,
                height,
                delay: delay.min(FRAME_TIME_MAX),
                buffer: pixels(grid, picture).into(),
                ..gif::Frame::default()
            };
            gif.write_frame(&frame).map_err(io::Error::other)?;
        }
        Ok(())
    }
}

/// Colours by brightness: an LED that is off can be seen.
fn palette() -> Vec<u8> {
    let colour = |brightness: u16| {
        let scaled = |dark: u16, bright: u16| (dark + (bright - dark) * brightness / 255) as u8;
        [scaled(42, 255), scaled(16, 70), scaled(16, 48)]
    };
    let mut colours: Vec<u8> = (0..=255).flat_map(colour).collect();
    // The background takes the place of the brightness 1, which nobody can tell from 0.
    colours[3..6].copy_from_slice(&[12, 12, 14]);
    colours
}

const BACKGROUND: u8 = 1;

/// Colours of all pixels, row after row.
fn pixels(grid: Grid, picture: &Picture) -> Vec<u8> {
    let (width, height) = (grid.columns * PITCH, grid.rows * PITCH);
    let mut pixels = vec![BACKGROUND; width * height];
    for (place, led) in picture.leds.iter().enumerate() {
        let (row, column) = (place / grid.columns, place % grid.columns);
        let colour = if *led == BACKGROUND { 0 } else { *led };
        for y in 0..DIAMETER {
            for x in 0..DIAMETER {
                let is_corner = [x, y].iter().all(|at| [0, DIAMETER - 1].contains(at));
                if !is_corner {
                    pixels[(row * PITCH + y) * width + column * PITCH + x] = colour;
                }
            }
        }
    }
    pixels
}

fn write_png(grid: Grid, picture: &Picture, out: &mut dyn Write) -> io::Result<()> {
    let (width, height) = (grid.columns * PITCH, grid.rows * PITCH);
    let mut encoder = png::Encoder::new(out, width as u32, height as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette());
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    let written = writer.write_image_data(&pixels(grid, picture));
    written.and_then(|()| writer.finish()).map_err(io::Error::other)
}

/// SVG of the panel, with the brightness of each LED as its opacity.
fn svg(grid: Grid, picture: &Picture) -> String {
    let (width, height) = (grid.columns * PITCH, grid.rows * PITCH);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>LEDs of {} nodes in superframe {}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#0c0c0e\"/>\n",
        picture.leds.len(),
        picture.superframe
    );
    let half = PITCH as f64 / 2.0;
    for (place, led) in picture.leds.iter().enumerate() {
        let x = (place % grid.columns * PITCH) as f64 + half;
        let y = (place / grid.columns * PITCH) as f64 + half;
        let _ = writeln!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"#2a1010\"/>");
        if *led > 0 {
            let opacity = f64::from(*led) / 255.0;
            let _ = writeln!(
                text,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"#ff4630\" fill-opacity=\"{opacity:.3}\"/>"
            );
        }
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(format: PictureFormat) -> Recorder {
        let mut recorder = Recorder::new(format);
        recorder.record(0, &[0, 255, 128, 1]);
        recorder.record(1, &[0, 255, 128, 1]);
        recorder.record(3, &[255, 0, 0, 0]);
        recorder
    }

    fn written(format: PictureFormat) -> Vec<u8> {
        let mut out = vec![];
        recorded(format).write(Grid::of(4), &mut out).unwrap();
        out
    }

    /// Colour of the middle of each LED.
    fn middles(pixels: &[u8], bytes: usize) -> Vec<&[u8]> {
        let at = |(x, y): (usize, usize)| &pixels[(y * 16 + x) * bytes..][..bytes];
        [(3, 3), (11, 3), (3, 11), (11, 11)].map(at).to_vec()
    }

    #[test]
    fn a_gif_has_a_picture_for_each_change() {
        let file = written(PictureFormat::Gif);
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::Indexed);
        let mut decoder = options.read_info(file.as_slice()).unwrap();
        assert_eq!((decoder.width(), decoder.height()), (16, 16));
        let mut frames = vec![];
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            frames.push((frame.delay, frame.buffer.to_vec()));
        }
        let leds: Vec<_> = frames.iter().map(|(_, pixels)| middles(pixels, 1).concat()).collect();
        assert_eq!(leds, [vec![0, 255, 128, 0], vec![255, 0, 0, 0]]);
        // The first picture lasts three superframes.
        assert_eq!([frames[0].0, frames[1].0], [30, 100]);
    }

    #[test]
    fn a_png_and_an_svg_show_the_last_picture() {
        let file = written(PictureFormat::Png);
        let decoder = png::Decoder::new(io::Cursor::new(file));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (16, 16));
        assert_eq!(middles(&pixels, info.line_size / 16).concat()[..1], [255]);
        let text = String::from_utf8(written(PictureFormat::Svg)).unwrap();
        assert_eq!(text.matches("#2a1010").count(), 4);
        assert_eq!(text.matches("fill-opacity=\"1.000\"").count(), 1);
        assert!(text.contains("superframe 3"), "{text}");
    }

    #[test]
    fn formats_are_known_by_their_names() {
        let of = |name: &str| PictureFormat::of(name.as_ref());
        assert_eq!(of("a.GIF"), Some(PictureFormat::Gif));
        assert_eq!(of("a.png"), Some(PictureFormat::Png));
        assert_eq!((of("a"), of("a.jpg")), (None, None));
    }
}
