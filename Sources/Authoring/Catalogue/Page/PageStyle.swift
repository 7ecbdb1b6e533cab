/// The style sheets of a page. The first is the same on every page, the second is made of the page's images and locales.
enum PageStyle {
    /// The colours for light. The same names stand in `dark`.
    private static let light = """
        --page:#f2f2f7;--card:#fff;--text:#1c1c1e;--soft:#55555b;--line:#c9c9cf;--link:#0b57b8;--fill:#e7e7ec;
        --sheet:#fff;--ink:#000;--inksoft:#5f5f66;--edge:#d9d9de;--mark:#ffe9a8;--markink:#4d3800;
        --okfill:#d7f2dd;--ok:#0f4a22;--waitfill:#ffe9b8;--wait:#5a3c00;--badfill:#ffdcd9;--bad:#7d1109;
        --nonefill:#e4e4e9;--none:#3d3d43;--rulefill:#d6e6ff;--rule:#12387a;
        """
    private static let dark = """
        --page:#000;--card:#111113;--text:#f2f2f7;--soft:#b0b0b8;--line:#48484c;--link:#7db8ff;--fill:#303035;
        --sheet:#1c1c1e;--ink:#fff;--inksoft:#b4b4bb;--edge:#4a4a4f;--mark:#5e4a00;--markink:#ffefc0;
        --okfill:#123d20;--ok:#b9f2c8;--waitfill:#4d3700;--wait:#ffe2a0;--badfill:#57150f;--bad:#ffd2cd;
        --nonefill:#3a3a3f;--none:#e4e4ea;--rulefill:#17345f;--rule:#cfe2ff;
        """

    static let text =
        "body{color-scheme:light dark;\(light)}\n@media (prefers-color-scheme:dark){body{\(dark)}}\n"
        + general + lists + tables + sheets + choices

    private static let general = """
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
        body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--page);font:16px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,
        "Helvetica Neue",Arial,"Noto Sans",sans-serif;overflow-wrap:anywhere}
        #top,main,#end{background:var(--page);color:var(--text);padding:16px max(16px,(100% - 1240px)/2)}
        #end{flex:1;color:var(--soft)}
        h1{font-size:1.6rem;line-height:1.2;margin:.2em 0 .4em}
        h2{font-size:1.25rem;margin:0 0 .6em}
        h3{font-size:1.1rem;margin:0 0 .3em}
        h4{font-size:1rem;margin:0;display:flex;flex-wrap:wrap;gap:.3em .6em;align-items:center}
        p{margin:.3em 0}
        a{color:var(--link)}
        :target{outline:3px solid var(--link);outline-offset:3px;border-radius:4px}
        code{font:.85em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
        section{background:var(--card);border-radius:14px;padding:16px;margin:0 0 16px}
        .soft{color:var(--soft)}
        .small{font-size:.85rem;font-weight:400}
        nav{display:flex;flex-wrap:wrap;gap:.4em 1.1em;margin:.8em 0 0}
        .badge,.kind{display:inline-block;border-radius:6px;padding:.1em .5em;font-size:.8rem;font-weight:600}
        .kind{background:var(--fill);color:var(--text)}
        .approved,.c-default{--back:var(--okfill);--front:var(--ok)}
        .pending{--back:var(--waitfill);--front:var(--wait)}
        .rejected,.c-nothing{--back:var(--badfill);--front:var(--bad)}
        .missing,.unknown,.c-unknown{--back:var(--nonefill);--front:var(--none)}
        .c-rules{--back:var(--rulefill);--front:var(--rule)}
        .badge,.tile,.cell{background:var(--back);color:var(--front)}
        .u{background:var(--mark);color:var(--markink);border-radius:3px;padding:0 .2em;margin:0 .1em;white-space:nowrap;
        font:.75em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;unicode-bidi:isolate}

        """

    private static let lists = """
        ul{margin:.3em 0;padding:0;list-style:none}
        summary{cursor:pointer;padding:.35em 0}
        details>summary{color:var(--link)}
        .tiles{display:flex;flex-wrap:wrap;gap:8px;margin:.8em 0}
        .tile{border-radius:10px;padding:.4em .8em;min-width:6.5em}
        .tile b{display:block;font-size:1.3rem;line-height:1.2}
        .rows>li{border-top:1px solid var(--line);padding:.5em 0;display:flex;flex-wrap:wrap;gap:.2em .8em;align-items:baseline}
        .rows>li:first-child{border-top:0}
        .rows>li>*{min-width:0;max-width:100%}
        .grow{flex:1 1 16em}
        dl{margin:.3em 0;display:grid;grid-template-columns:minmax(5.5em,max-content) minmax(0,1fr);gap:.25em .9em}
        dt{color:var(--soft)}
        dd{margin:0}
        .small dl,dl.small{font-size:.85rem}
        .names>li{display:inline-block;margin:0 1em .35em 0;max-width:100%}

        """

    private static let tables = """
        .scroll{overflow-x:auto;border:1px solid var(--line);border-radius:10px;max-height:75vh}
        .scroll:focus-visible{outline:3px solid var(--link)}
        table{border-collapse:separate;border-spacing:0;font-size:.85rem}
        th,td{padding:.35em .6em;text-align:center;white-space:nowrap;border-bottom:2px solid var(--card);
        border-right:2px solid var(--card)}
        th{background:var(--card);font-weight:600}
        thead th{position:sticky;top:0;z-index:1}
        tbody th{position:sticky;left:0;text-align:left;white-space:normal}
        tbody th bdi{display:block;width:max-content;max-width:min(22em,36vw)}
        thead th:first-child{left:0;z-index:2;text-align:left}
        .legend{display:grid;gap:.4em;margin:.8em 0}
        .legend li{display:flex;gap:.7em;align-items:baseline}
        .legend .cell{flex:none;width:6.6em;text-align:center;border-radius:6px;padding:.1em .4em;font-size:.85rem}

        """

    private static let sheets = """
        .texts,.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));gap:20px;
        margin-top:.8em;align-items:start}
        .t,.picture{min-width:0}
        .sheet{background:var(--sheet);color:var(--ink);border:1px solid var(--edge);border-radius:26px;padding:10px 20px 22px;
        margin:.5em 0;max-width:400px;box-shadow:0 1px 3px rgba(0,0,0,.16)}
        .sheet::before{content:"";display:block;width:36px;height:5px;border-radius:3px;background:var(--edge);margin:0 auto 14px}
        .sheet p,.sheet li{white-space:pre-wrap;unicode-bidi:isolate}
        .sheet .head{font-size:1.35rem;line-height:1.25;font-weight:700;margin:.55em 0 .25em}
        .sheet .body{font-size:1.05rem;line-height:1.35;margin:.25em 0 .7em;color:var(--inksoft)}
        .image,.icon{background:var(--fill) center/100% 100% no-repeat;print-color-adjust:exact;-webkit-print-color-adjust:exact}
        .image{width:100%;border-radius:12px;margin:.6em 0}
        .points li{display:flex;gap:12px;align-items:center;margin:.55em 0}
        .icon{flex:none;width:34px;height:34px;border-radius:8px}
        .points span+span{min-width:0}
        .sheet .theirs{border:1.5px dashed var(--inksoft);border-radius:14px;color:var(--inksoft);padding:.8em;margin:.9em 0;
        text-align:center;font-size:.9rem}
        .keep,.leave{height:46px;border-radius:23px;margin-top:10px;background:var(--fill)}
        .leave{background:none;border:1.5px solid var(--edge)}
        .none{border:1.5px dashed var(--line);border-radius:14px;padding:1em;color:var(--soft)}
        .warn{color:var(--bad);font-size:.9rem}
        .picture .image{border:1px solid var(--line);margin-top:0}
        .picture .square{max-width:128px}

        """

    private static let choices = """
        .choices{display:none;flex-wrap:wrap;gap:.5em 1em;align-items:end}
        .choices label{display:block;font-size:.85rem;color:var(--soft)}
        select{display:block;font:inherit;color:var(--text);background:var(--card);border:1px solid var(--line);
        border-radius:8px;padding:.35em .5em;max-width:100%;min-height:2.4em}
        .sticky{position:sticky;top:0;z-index:3;background:var(--page);padding:8px 0;margin-bottom:8px}
        @supports selector(:has(a)){.choices{display:flex}}
        #choices:not(:has(#locale [value=""]:checked))~.all{display:grid;gap:0 16px;align-items:start;
        grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr))}
        .all>.m{min-width:0}
        @media print{.choices,nav{display:none}.scroll{max-height:none;overflow:visible}section{break-inside:auto}
        .t,.picture{break-inside:avoid}}
        @media (max-width:480px){#top,main,#end{padding:12px}section{padding:12px}}

        """
}

extension PageStyle {
    /// The style sheet of the page's images, each with its pixels, and of the choices that depend on its locales.
    static func made(_ page: CataloguePage) -> [UInt8] {
        var style: [UInt8] = []
        style.reserveCapacity(
            page.images.digests.reduce(1 << 16) { $0 + (page.images[$1]?.base64.count ?? 0) + 100 }
        )
        for (place, digest) in page.images.digests.enumerated() {
            guard let image = page.images[digest] else { continue }
            style += ".i\(place + 1){aspect-ratio:\(image.width)/\(image.height);".utf8
            style += "background-image:url(data:image/png;base64,".utf8
            style += image.base64
            style += ")}\n".utf8
        }
        // A choice looks at the texts behind it. So a browser searches only the choice for what is chosen, not the page.
        let places = page.catalogue.locales.indices.map { $0 + 1 }
        for place in places {
            let chosen = "#choices:has([value=\"\(place)\"]:checked)"
            style += "\(chosen)~.all .m .t:not(.l\(place)){display:none}\n".utf8
        }
        for group in StateGroup.allCases {
            let chosen = "#choices:has([value=\(group.rawValue)]:checked)"
            style += "\(chosen)~.all .m .t:not(.\(group.rawValue)),".utf8
            style += "\(chosen)~.all .m:not(.has-\(group.rawValue)){display:none}\n".utf8
            for place in places {
                style += "\(chosen):has([value=\"\(place)\"]:checked)".utf8
                style += "~.all .m:not(.\(hasText(place, group))){display:none}\n".utf8
            }
        }
        return style
    }

    /// The class of a message that has a text with a state in a locale.
    static func hasText(_ locale: Int, _ group: StateGroup) -> String { "l\(locale)-\(group.rawValue)" }
}
