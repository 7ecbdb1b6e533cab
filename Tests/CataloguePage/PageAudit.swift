import JSON

/// What a browser finds on a page that it shows.
struct PageAudit {
    /// How many pixels the page is wider than the window.
    let overflow: Int64
    /// Visible elements that reach beyond the window.
    let wide: [String]
    /// Visible texts whose colour has less contrast with what is behind it than WCAG 2.2 asks for (4.5).
    let faint: [String]
    /// The number of visible texts.
    let textCount: Int64
    /// Visible places of images: the class, with what is wrong, if anything is.
    let images: [String]
    /// Elements and attributes that could run a script or load something.
    let active: [String]

    /// Looks at everything on the page, with all that can be opened open.
    init(_ browser: Browser) throws {
        let root = try browser.evaluate(Self.script).root
        func texts(_ name: String) -> [String] {
            root.member(named: name)?.elements.compactMap(\.string) ?? []
        }
        overflow = root.member("overflow")?.int64 ?? .max
        textCount = root.member("textCount")?.int64 ?? 0
        (wide, faint, images, active) = (texts("wide"), texts("faint"), texts("images"), texts("active"))
    }

    private static let script = """
        (async () => {
          const found = { wide: [], faint: [], images: [], active: [], textCount: 0 };
          for (const details of document.querySelectorAll('details')) details.open = true;
          found.overflow = document.scrollingElement.scrollWidth - innerWidth;
          const all = [...document.querySelectorAll('body *')];
          for (const element of document.querySelectorAll('*')) {
            const name = element.localName;
            if (/^(script|iframe|object|embed|img|link|form|base|svg|audio|video|input|textarea)$/.test(name))
              found.active.push(name);
            for (const attribute of element.attributes)
              if (/^(on.*|src|srcset|style|action|formaction|data|ping|background)$/i.test(attribute.name)
                  || attribute.name == 'href' && !/^#[-~.\\w]+$/.test(attribute.value))
                found.active.push(name + ' ' + attribute.name + '=' + attribute.value);
          }
          const what = (element) => element.localName + '.' + element.className + ': '
            + element.textContent.trim().slice(0, 40);
          const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
          for (const element of all) {
            // The table of the coverage scrolls by itself.
            if (!isSeen(element) || element.parentElement.closest('.scroll')) continue;
            const box = element.getBoundingClientRect();
            if (box.width > 0 && (box.left < -0.5 || box.right > innerWidth + 0.5)) found.wide.push(what(element));
          }
          const colour = (text) => {
            const numbers = text.match(/[\\d.]+/g).map(Number);
            return { rgb: numbers.slice(0, 3), alpha: numbers.length > 3 ? numbers[3] : 1 };
          };
          const mix = (front, back) =>
            front.rgb.map((value, place) => value * front.alpha + back[place] * (1 - front.alpha));
          const behind = (element) => {
            if (!element) return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
            const own = colour(getComputedStyle(element).backgroundColor);
            return own.alpha == 1 ? own.rgb : mix(own, behind(element.parentElement));
          };
          const light = (rgb) => {
            const [r, g, b] = rgb.map((value) => {
              const part = value / 255;
              return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const element = walker.currentNode.parentElement;
            if (!walker.currentNode.data.trim() || !isSeen(element)) continue;
            found.textCount += 1;
            const back = behind(element);
            const front = mix(colour(getComputedStyle(element).color), back);
            const [low, high] = [light(front), light(back)].sort((one, other) => one - other);
            const contrast = (high + 0.05) / (low + 0.05);
            if (contrast < 4.5) found.faint.push(contrast.toFixed(2) + ' ' + what(element));
          }
          for (const element of document.querySelectorAll('.image,.icon')) {
            if (!isSeen(element)) continue;
            const box = element.getBoundingClientRect();
            const url = getComputedStyle(element).backgroundImage.slice(5, -2);
            const image = new Image();
            image.src = url;
            let problem = '';
            try { await image.decode(); } catch (error) { problem = ' cannot be decoded'; }
            if (!url.startsWith('data:image/png;base64,')) problem += ' is not a data URL';
            if (box.width < 20 || box.height < 4) problem += ` is ${box.width} x ${box.height}`;
            if (!element.getAttribute('aria-label')) problem += ' has no label';
            const shape = box.width / box.height / (image.naturalWidth / image.naturalHeight);
            if (Math.abs(shape - 1) > 0.05) problem += ' is drawn with another shape';
            found.images.push(element.className + problem);
          }
          return found;
        })()
        """
}
