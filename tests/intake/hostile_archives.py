"""Archives that must be refused, made when they are needed: each with what its refusal must say."""

import gzip
import hashlib
import io
import lzma
import struct
import tarfile
import warnings
import zipfile
import zlib

import pytest

TOML = b'name = "mine"\nversion = "1"\ngames = ["claim"]\ncommand = ["python3", "bot.py"]\n'
MIB = 1 << 20


def member(name, kind=tarfile.REGTYPE, *, link="", mode=0o644, data=b"", size=None):
    header = tarfile.TarInfo(name)
    header.type, header.linkname, header.mode = kind, link, mode
    header.size = len(data) if size is None else size
    return header, data


BOT = member("bot.toml", data=TOML)


def tar(*members, form=tarfile.PAX_FORMAT):
    """The bytes of a tar archive with these members."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for header, data in members:
            archive.addfile(header, io.BytesIO(data))
    return buffer.getvalue()


def raw_name(name):
    """A tar archive with a name that Python would not write so."""
    return tar(BOT, member("x" * len(name)), form=tarfile.USTAR_FORMAT).replace(b"x" * len(name), name)


def fixed(data, place=512 + 512):
    """The same archive with the checksum of its second header made right again."""
    header = bytearray(data[place : place + 512])
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return data[:place] + bytes(header) + data[place + 512 :]


def oversized_header():
    """A header that carries a name of a gigabyte."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    return tar(BOT)[: 2 * 512] + header.tobuf(tarfile.GNU_FORMAT)


def greedy_xz():
    """A stream whose header asks for a dictionary of gigabytes."""
    data = bytearray(lzma.compress(tar(BOT), preset=0))
    end = 12 + 4 * data[12]
    data[16] = 40
    data[end : end + 4] = struct.pack("<I", zlib.crc32(data[12:end]))
    return bytes(data)


def sparse():
    """A file of a terabyte that is one hole."""
    header = tarfile.TarInfo("hole")
    header.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(1 << 40), "GNU.sparse.major": "0"}
    return tar(BOT, (header, b""))


def zipped(*members, method=zipfile.ZIP_DEFLATED):
    """The bytes of a zip archive of (name, data, mode)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data, mode in members:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, method
            archive.writestr(info, data)
    return buffer.getvalue()


def many_in_zip():
    """A table of contents that would fill the memory."""
    entry = b"PK\x01\x02" + bytes(24) + struct.pack("<HHH", 1, 0, 0) + bytes(12) + b"x"
    directory = entry * 150_000
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, len(directory), 0, 0)
    return b"PK\x03\x04" + directory + end


ZBOT = ("bot.toml", TOML, 0o100644)
LINK, DIR = tarfile.SYMTYPE, tarfile.DIRTYPE


def incompressible(mib):
    """Bytes that do not compress, like those of a program."""
    return b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(mib * MIB // 32))


def encrypted():
    data = bytearray(zipped(ZBOT))
    data[6] |= 1
    place = data.index(b"PK\x01\x02")
    data[place + 8] |= 1
    return bytes(data)


def twice_in_zip():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return zipped(ZBOT, ZBOT)


REFUSED = {
    "dots": (lambda: tar(BOT, member("../up")), "'../up' is not a plain path within the folder"),
    "dots inside": (lambda: tar(BOT, member("a/../../up")), "is not a plain path within the folder"),
    "absolute": (lambda: tar(BOT, member("/etc/cron.d/x")), "'/etc/cron.d/x' is an absolute path"),
    "drive": (lambda: tar(BOT, member("C:evil")), "is an absolute path"),
    "backslash": (lambda: tar(BOT, member("..\\up")), "control characters or backslashes"),
    "link out": (lambda: tar(BOT, member("a", LINK, link="../x")), "'a' is a link to '../x', out of the folder"),
    "absolute link": (lambda: tar(BOT, member("a", LINK, link="/etc/passwd")), "is a link to '/etc/passwd', out of"),
    "link through a link": (
        lambda: tar(BOT, member("d", LINK, link="."), member("a", LINK, link="d/../../x")),
        "'a' is a link to 'd/../../x', out of the folder",
    ),
    "link up by one": (
        lambda: tar(BOT, member("d", LINK, link="."), member("a", LINK, link="d/../x")),
        "'a' is a link to 'd/../x', out of the folder",
    ),
    "link to nothing": (lambda: tar(BOT, member("a", LINK, link="")), "out of the folder"),
    "link, then a file below": (
        lambda: tar(BOT, member("sub", DIR), member("d", LINK, link="sub"), member("d/x")),
        "'d/x' lies below 'd', which is not a folder",
    ),
    "file, then a file below": (lambda: tar(BOT, member("d"), member("d/x")), "lies below 'd', which is not a folder"),
    "hard link out": (
        lambda: tar(BOT, member("a", tarfile.LNKTYPE, link="/etc/passwd")),
        "'a' is a hard link to '/etc/passwd', which is not a file before it",
    ),
    "hard link to a link": (
        lambda: tar(BOT, member("s", LINK, link="bot.toml"), member("a", tarfile.LNKTYPE, link="s")),
        "which is not a file before it",
    ),
    "link out of the inner folder": (
        lambda: tar(member("in/bot.toml", data=TOML), member("in/x", LINK, link="../in/bot.toml")),
        "'x' is a link to '../in/bot.toml', out of the folder",
    ),
    "device": (lambda: tar(BOT, member("d", tarfile.CHRTYPE)), "'d' is a pipe, socket or device"),
    "disk": (lambda: tar(BOT, member("d", tarfile.BLKTYPE)), "'d' is a pipe, socket or device"),
    "pipe": (lambda: tar(BOT, member("d", tarfile.FIFOTYPE)), "'d' is a pipe, socket or device"),
    "strange kind": (lambda: tar(BOT, member("d", b"Z", data=b"x")), "'d' is a pipe, socket or device"),
    "sparse file": (sparse, "holds 'hole', a sparse file"),
    "setuid": (lambda: tar(BOT, member("x", mode=0o4755)), "'x' has a setuid or setgid bit"),
    "setgid": (lambda: tar(BOT, member("x", mode=0o2755)), "'x' has a setuid or setgid bit"),
    "too many": (lambda: tar(BOT, *(member(str(n)) for n in range(20_001))), "more than 20000 entries"),
    "one too large": (
        lambda: gzip.compress(tar(BOT, member("x", data=bytes(129 * MIB))) + incompressible(2)),
        "'x' has 129 MiB; at most 128",
    ),
    "together too large": (
        lambda: tar(BOT, *(member(str(n), data=bytes(100 * MIB)) for n in range(3))),
        "more than 256 MiB when it is unpacked",
    ),
    "hard links that add up": (
        lambda: tar(
            BOT,
            member("x", data=incompressible(4)),
            *(member(str(n), tarfile.LNKTYPE, link="x") for n in range(64)),
        ),
        "more than 256 MiB when it is unpacked",
    ),
    "folders of folders": (
        lambda: tar(BOT, *(member(f"{n}/" + "d/" * 400 + "x") for n in range(60))),
        "more than 20000 entries",
    ),
    "bomb of gzip": (lambda: gzip.compress(tar(BOT, member("x", data=bytes(60 * MIB)))), "unpacks to more than"),
    "bomb of xz": (lambda: lzma.compress(tar(BOT, member("x", data=bytes(60 * MIB))), preset=0), "unpacks to more"),
    "bomb in a bomb": (lambda: gzip.compress(gzip.compress(bytes(100 * MIB))), "damaged, or no archive"),
    "xz that wants memory": (greedy_xz, "damaged, or no archive of a kind .* limit"),
    "header of a gigabyte": (oversized_header, "a name or a header that is too long"),
    "long name": (lambda: tar(BOT, member("x" * 256)), "is too long"),
    "long path": (lambda: tar(BOT, member("/".join(["x" * 200] * 6))), "is too long"),
    "same name twice": (lambda: tar(BOT, member("x"), member("x")), "'x' is there twice"),
    "two manifests": (lambda: tar(BOT, BOT), "'bot.toml' is there twice"),
    "same name in other case": (lambda: tar(BOT, member("Bot.toml")), "differs from 'bot.toml' only in case"),
    "same folder in other case": (lambda: tar(BOT, member("a/x"), member("A/y")), "differs from 'a' only in case"),
    "same name in Unicode": (
        lambda: tar(BOT, member("\u00e9"), member("e\u0301")),
        r"'e\\u0301' differs from '\\xe9' only in case or in the way it is encoded",
    ),
    "no UTF-8": (lambda: fixed(raw_name(b"\xff\xfe")), r"the name '\\udcff\\udcfe' is not valid UTF-8"),
    "terminal codes": (lambda: tar(BOT, member("\x1b[31mred")), r"the name '\\x1b\[31mred' has control characters"),
    "right to left": (lambda: tar(BOT, member("\u202egpj.py")), "control characters"),
    "line end": (lambda: tar(BOT, member("a\nb")), "control characters"),
    "no manifest": (lambda: tar(member("bot.py")), "holds neither a bot.toml nor an image"),
    "manifest is a link": (
        lambda: tar(member("x", data=TOML), member("bot.toml", LINK, link="x")),
        "has no bot.toml",
    ),
    "manifest too deep": (lambda: tar(member("bot.toml", data=b"a = " + b"[" * 9000)), "not valid TOML"),
    "manifest too long": (lambda: tar(member("bot.toml", data=TOML + b"#" * 70_000)), "longer than 16 KiB"),
    "name of the bot": (
        lambda: tar(member("bot.toml", data=TOML.replace(b"mine", b"<script>"))),
        "name must be 1 to 40",
    ),
    "names an image": (
        lambda: tar(member("bot.toml", data=b'name="x"\nversion="1"\ngames=["claim"]\nimage="alices:1"\n')),
        "names an image instead of holding it",
    ),
    "cut off": (lambda: gzip.compress(tar(BOT, member("x", data=incompressible(1))))[:-5000], "damaged, or no archive"),
    "nonsense": (lambda: b"nonsense" * 1000, "damaged, or no archive"),
    "empty": (lambda: b"", "damaged, or no archive"),
    "zstd": (lambda: b"\x28\xb5\x2f\xfd" + bytes(100), "compressed by zstd are not read"),
    "zip: dots": (lambda: zipped(ZBOT, ("../up", b"", 0o100644)), "is not a plain path within the folder"),
    "zip: absolute": (lambda: zipped(ZBOT, ("/up", b"", 0o100644)), "is an absolute path"),
    "zip: link out": (lambda: zipped(ZBOT, ("a", b"../../etc", 0o120777)), "out of the folder"),
    "zip: device": (lambda: zipped(ZBOT, ("a", b"", 0o020666)), "is a pipe, socket or device"),
    "zip: setuid": (lambda: zipped(ZBOT, ("a", b"", 0o104755)), "has a setuid or setgid bit"),
    "zip: bomb": (lambda: zipped(ZBOT, ("a", bytes(100 * MIB), 0o100644)), "unpacks to more than"),
    "zip: table of contents": (many_in_zip, "more than 20000 entries"),
    "zip: terminal codes": (lambda: zipped(ZBOT, ("\x1b[2J", b"", 0o100644)), "control characters"),
    "zip: no UTF-8": (
        lambda: zipped(ZBOT, ("xx", b"", 0o100644)).replace(b"xx", b"\xff\xfe"),
        "is not valid UTF-8",
    ),
    "zip: encrypted": (encrypted, "is encrypted"),
    "zip: twice": (twice_in_zip, "'bot.toml' is there twice"),
    "zip: damaged": (lambda: zipped(ZBOT)[:-30], "damaged, or no archive"),
    "zip: no manifest": (lambda: zipped(("bot.py", b"", 0o100644)), "has no bot.toml"),
}

SLOW = {"too many", "one too large", "together too large", "bomb in a bomb", "bomb of xz", "zip: bomb"}
CASES = [pytest.param(*case, id=name, marks=[pytest.mark.slow] * (name in SLOW)) for name, case in REFUSED.items()]


# -- small files that cost a careless reader gigabytes or minutes ------------------------------------------


def manifest(*lines):
    """A packed archive with these lines in its bot.toml."""
    return gzip.compress(tar(member("bot.toml", data=b"\n".join(lines))))


def extended(kind, *pairs):
    """A pax header with these records."""
    data = b""
    for key, value in pairs:
        size = len(key) + len(value) + 3
        size += len(str(size + len(str(size))))
        data += b"%d %s=%s\n" % (size, key, value)
    return raw_header(kind, data)


def raw_header(kind, data, name="x"):
    """A header of this kind with its data, which Python would not write so."""
    header = tarfile.TarInfo(name)
    header.type, header.size = kind, len(data)
    return header.tobuf(tarfile.USTAR_FORMAT) + data + bytes(-len(data) % 512)


END = bytes(1024)
START = tar(BOT)[: 2 * 512]


def copied_headers():
    """Eight thousand global records, which a reader copies for every one of the files that follow."""
    everywhere = extended(tarfile.XGLTYPE, *((b"k%04d" % number, b"") for number in range(5800)))
    files = (extended(tarfile.XHDTYPE, (b"a", b"")) + raw_header(b"0", b"", str(number)) for number in range(9000))
    return gzip.compress(START + everywhere + b"".join(files) + END)


def long_headers():
    """Each of many files brings a header of 64 KiB along, which a reader keeps."""
    header = extended(tarfile.XHDTYPE, (b"comment", b"x" * 65_000))
    files = (header + raw_header(b"0", b"", str(number)) for number in range(3000))
    return gzip.compress(START + b"".join(files) + END)


def digits():
    """A header of nothing but digits: a search for a number in front of a word tries every part of it."""
    return gzip.compress(START + raw_header(tarfile.XHDTYPE, b"1" * 65_000) * 8 + raw_header(b"0", b"") + END)


def chained_names():
    """Long names of long names of long names: a reader calls itself for each."""
    return gzip.compress(START + raw_header(tarfile.GNUTYPE_LONGNAME, b"x\0") * 5000 + raw_header(b"0", b"") + END)


def sparse_map():
    """A file of millions of holes."""
    keys = ((b"GNU.sparse.major", b"1"), (b"GNU.sparse.minor", b"0"), (b"GNU.sparse.name", b"x"))
    table = b"4000000\n" + b"1\n" * 8_000_000
    return gzip.compress(START + extended(tarfile.XHDTYPE, *keys) + raw_header(b"0", table) + END)


def old_sparse_map():
    """The same in the older form, whose table goes on for as long as its blocks say so."""
    header = bytearray(raw_header(tarfile.GNUTYPE_SPARSE, b""))
    header[257:265], header[482] = b"ustar  \0", 1
    block = b"00000000001\0" * 42 + b"\1" + bytes(7)
    return gzip.compress(START + fixed(bytes(header), 0) + block * 32_000 + END)


def without_a_manifest():
    """Very many empty files, and no bot among them."""
    return gzip.compress(b"".join(raw_header(b"0", b"", f"{number:x}") for number in range(99_000)) + END)


def lying_zip(method, data):
    """A file that is said to have a few bytes, packed so that one read of it fills the memory."""
    archive = bytearray(zipped(ZBOT, ("x", data, 0o100644), method=method))
    for magic, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = archive.rindex(magic)
        archive[start + place : start + place + 4] = struct.pack("<I", 1000)
    return bytes(archive)


def long_complaint():
    """Two names of one file that differ; Python's own complaint has both of them in full."""
    name = "n" * 60_000
    return zipped(ZBOT, (name, b"", 0o100644)).replace(b"n" * 60_000, b"m" * 60_000, 1)


def image(**parts):
    """An archive of an image, with these parts changed; underscores in their names are dots."""
    files = {
        "manifest_json": b'[{"Config": "c.json", "Layers": ["0.tar"]}]',
        "c_json": b'{"config": {"Entrypoint": ["/bot"]}}',
        "0_tar": tar(member("bot.py")),
    }
    files |= parts
    return gzip.compress(tar(*(member(name.replace("_", "."), data=data) for name, data in files.items())))


def crowded_layer():
    """A layer of more files than any image has."""
    return gzip.compress(b"".join(raw_header(b"0", b"", f"{number:x}") for number in range(100_100)) + END)


GOOD = tuple(TOML.splitlines())
COSTLY = {
    "dotted key": (lambda: manifest(b".".join([b"a"] * 32_000) + b" = 1"), "longer than 16 KiB"),
    "dotted table": (lambda: manifest(b"[" + b".".join([b"a"] * 8_000) + b"]"), "dots in one line"),
    "dotted in a table": (lambda: manifest(b"a = {" + b".".join([b"'a'"] * 4_000) + b" = 1}"), "dots in one line"),
    "digits in the manifest": (lambda: manifest(*GOOD, b"rules = " + b"9" * 10_000), "not valid TOML"),
    "hex for a name": (lambda: manifest(b"name = 0x" + b"f" * 15_000, *GOOD[1:]), "name must be 1 to 40"),
    "hex for an image": (lambda: manifest(*GOOD[:3], b"image = 0x" + b"f" * 15_000), "image must be the name"),
    "long unknown key": (lambda: manifest(*GOOD, b"k" * 16_000 + b" = 1"), "unknown key"),
    "copied headers": (copied_headers, "header that is too long"),
    "long headers": (long_headers, "header that is too long"),
    "digits": (digits, "header that is too long"),
    "chained names": (chained_names, "header that is too long"),
    "sparse map": (sparse_map, "holds 'x', a sparse file"),
    "old sparse map": (old_sparse_map, "holds 'x', a sparse file"),
    "without a manifest": (without_a_manifest, "holds neither a bot.toml nor an image"),
    "zip: bzip2": (lambda: lying_zip(zipfile.ZIP_BZIP2, bytes(600 * MIB)), "packed by another method"),
    "zip: lzma": (lambda: lying_zip(zipfile.ZIP_LZMA, bytes(600 * MIB)), "packed by another method"),
    "image: crowded layer": (lambda: image(**{"0_tar": crowded_layer()}), "more than 100000 files and folders"),
    "image: sparse layer": (lambda: image(**{"0_tar": sparse_map()}), "holds a sparse file"),
    "image: copied headers": (lambda: image(**{"0_tar": copied_headers()}), "a header for all files after it"),
    "image: lists": (lambda: image(manifest_json=b"[" + b"[]," * 340_000 + b"[]]"), "exactly one image"),
    "image: deep": (lambda: image(manifest_json=b"[" * 1_000_000), "is not valid JSON"),
    "image: digits": (lambda: image(c_json=b"9" * 1_000_000), "is not valid JSON"),
    "zip: long complaint": (long_complaint, "damaged, or no archive"),
}


def crowded_record(size=8 * MIB):
    """A record of millions of empty contestants, two bytes each."""
    payload = b"\x12\x05claim" + b"\x32\x00" * (size // 2)
    return b"arena-record-1\n" + hashlib.sha256(payload).digest() + payload


def listed_line():
    """A tournament whose first line is a list of millions of empty lists."""
    return gzip.compress(b"[" + b"[]," * 5_500_000 + b"[]]\n")


def endless_matches():
    """A tournament of very many short lines that say nothing."""
    return gzip.compress(b"{}\n" * 30_000_000)


RECORDS = {
    "crowded": (crowded_record, "more than 1 MiB"),
    "crowded, but short": (lambda: crowded_record(MIB - 100), "more than 2 seats"),
}
TOURNAMENTS = {
    "lists": (listed_line, "too long, or it was cut off"),
    "short lists": (lambda: gzip.compress(b"[" + b"[]," * 690_000 + b"[]]\n"), "not a tournament of Arena"),
    "deep": (lambda: gzip.compress(b"[" * 1_000_000 + b"\n"), "not a tournament of Arena"),
    "digits": (lambda: gzip.compress(b'{"format": ' + b"9" * 1_000_000 + b"}\n"), "not a tournament of Arena"),
    "endless": (endless_matches, "its format is not"),
    "long key": (
        lambda: gzip.compress(b'{"format": "arena-tournament-1", "bots": [{}]}\n'),
        "not a tournament of Arena",
    ),
}
