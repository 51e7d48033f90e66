"""Layers of images that Python's reader of tar archives and the daemon's read differently, and others to be refused."""

import gzip
import io
import tarfile

from tests.intake.hostile_archives import END, extended, fixed, member, raw_header, tar

FIFO, LINK, HARD, DIR = tarfile.FIFOTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE
PIPE = raw_header(FIFO, b"", "etc/group")
"""A pipe at /etc/group, which hangs the daemon when a container starts."""


def with_field(header, start, field):
    """The header with this field, and the checksum that fits it."""
    return fixed(header[:start] + field + header[start + len(field) :], 0)


def numbered(field, content, rest=b""):
    """A file whose size is written so, and what follows it."""
    return with_field(raw_header(b"0", b"", "x"), 124, field) + content + rest + END


def nul_then_octal():
    """Python reads the size 0, and the content as headers: a plain end. The daemon reads 1024, and a pipe after it."""
    return numbered(b"\0" + b"%010o\0" % 1024, bytes(1024), PIPE)


def checksum_after_nul():
    """Python takes the header with the odd checksum for the end of the archive; the daemon reads on."""
    odd = PIPE[:148] + b"\0" + PIPE[148:154] + PIPE[155:]
    return raw_header(b"0", b"", "x") + odd + END


def global_name():
    """Python takes the name in the global header for that of every file after it; the daemon ignores it."""
    return extended(tarfile.XGLTYPE, (b"path", b"harmless")) + PIPE + END


def base_256():
    return numbered(b"\x80" + bytes(9) + (1024).to_bytes(2, "big"), bytes(1024))


def star_prefix():
    """A GNU header has no first part of a name where Python reads one."""
    header = raw_header(FIFO, b"", "etc/group")
    header = header[:257] + b"ustar  \0" + header[265:345] + b"far" + header[348:]
    return fixed(header, 0) + END


def two_names():
    """Python takes the name of the pax header, the daemon that of the GNU header."""
    long_name = raw_header(tarfile.GNUTYPE_LONGNAME, b"etc/group\0")
    return extended(tarfile.XHDTYPE, (b"path", b"harmless")) + long_name + raw_header(FIFO, b"", "x") + END


def file_or_folder():
    """An old header whose pax name ends with a slash: Python sees a file with content, the daemon a folder."""
    old = with_field(raw_header(b"0", PIPE + bytes(0), "x"), 156, b"\0")
    return extended(tarfile.XHDTYPE, (b"path", b"folder/")) + old + END


def after_the_end():
    """Files after one block of zeros."""
    return raw_header(b"0", b"", "x") + bytes(512) + PIPE + END


def sparse():
    """A file of 6 GiB that is one hole."""
    keys = ((b"GNU.sparse.major", b"0"), (b"GNU.sparse.map", b"0,0"), (b"GNU.sparse.size", b"%d" % (6 << 30)))
    return extended(tarfile.XHDTYPE, *keys) + raw_header(b"0", b"", "hole") + END


def bomb(mib):
    """A layer that is packed: packed again it has next to nothing, and Python sees a file of no byte in it."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream:
        stream.write(with_field(raw_header(b"0", b"", "x"), 124, b"\0%011o" % (mib << 20)))
        for _ in range(mib):
            stream.write(bytes(1 << 20))
        stream.write(END)
    return packed.getvalue()


def entries(*members):
    return tar(*members, form=tarfile.GNU_FORMAT)


AMBIGUOUS = {
    "size after NUL": (nul_then_octal, "a number in a header that is not plain octal"),
    "checksum after NUL": (checksum_after_nul, "a number in a header that is not plain octal"),
    "global header": (global_name, "a header for all files after it"),
    "base 256": (base_256, "a number in a header that is not plain octal"),
    "signed": (lambda: numbered(b"+0000001000\0", bytes(512)), "a number in a header that is not plain octal"),
    "underscore": (lambda: numbered(b"0000001_000\0", bytes(512)), "a number in a header that is not plain octal"),
    "prefix of GNU": (star_prefix, "not in the tar format of POSIX or GNU"),
    "old format": (lambda: with_field(PIPE, 257, bytes(8)) + END, "not in the tar format of POSIX or GNU"),
    "two names": (two_names, "too many or too long headers before one file"),
    "file or folder": (file_or_folder, "a file of the old kind"),
    "file with a slash": (lambda: raw_header(b"0", b"", "x/") + END, "says of itself that it is two things"),
    "link with content": (lambda: with_field(raw_header(LINK, b""), 124, b"%011o\0" % 512) + PIPE + END, "two things"),
    "after the end": (after_the_end, "it goes on after its end"),
    "sparse": (sparse, "a sparse file"),
    "old sparse": (lambda: raw_header(b"S", b"", "hole") + END, "'hole', a sparse file"),
    "strange kind": (lambda: raw_header(b"7", b"", "x") + END, "an entry of the kind '7'"),
    "empty pax name": (
        lambda: extended(tarfile.XHDTYPE, (b"path", b"")) + raw_header(b"0", b"") + END,
        "a pax header has a wrong path",
    ),
    "pax size is no number": (
        lambda: extended(tarfile.XHDTYPE, (b"size", b"1_0")) + raw_header(b"0", b"") + END,
        "a pax header has a wrong size",
    ),
    "pax record too long": (
        lambda: raw_header(tarfile.XHDTYPE, b"99 path=x\n") + raw_header(b"0", b"") + END,
        "a record of a pax header is wrong",
    ),
    "cut off in a file": (lambda: with_field(raw_header(b"0", b""), 124, b"%011o\0" % 512) + bytes(100), "is cut off"),
    "cut off in a header": (lambda: raw_header(b"0", b"") + b"x" * 100, "is cut off"),
    "cut off after a long name": (lambda: raw_header(tarfile.GNUTYPE_LONGNAME, b"x\0"), "is cut off"),
    "wrong checksum": (lambda: PIPE[:100] + b"0000777" + PIPE[107:] + END, "the checksum of a header is wrong"),
}
"""What the one reader that counts refuses to understand."""

FORBIDDEN = {
    "device": (lambda: entries(member("bin/sda", tarfile.BLKTYPE)), "has 'bin/sda', a pipe, socket or device: remove"),
    "overlay's own whiteout": (lambda: entries(member("usr", tarfile.CHRTYPE)), "has 'usr', a pipe, socket or device"),
    "hard link out": (lambda: entries(member("a", HARD, link="../../etc/shadow")), "not a file before it in its layer"),
    "hard link to a link": (
        lambda: entries(member("s", LINK, link="/etc/shadow"), member("a", HARD, link="s")),
        "not a file before it in its layer",
    ),
    "hard link to what comes": (
        lambda: entries(member("a", HARD, link="b"), member("b")),
        "not a file before it in its layer",
    ),
    "file, then a file below": (
        lambda: entries(member("d"), member("d/x")),
        "has files below /d, which is not a folder",
    ),
    "there twice": (lambda: entries(member("x"), member("./x")), "'x', which is there twice"),
    "folder becomes a link": (
        lambda: entries(member("d/x"), member("d", LINK, link="/etc")),
        "'d', which is there twice",
    ),
    "link to nothing": (lambda: entries(member("s", LINK, link="")), "a link that leads nowhere"),
    "whiteout of the folder above": (lambda: entries(member("a/b/.wh...")), "not a valid mark of a removed file"),
    "whiteout of its folder": (lambda: entries(member("a/.wh..")), "not a valid mark of a removed file"),
    "whiteout of nothing": (lambda: entries(member("a/.wh.")), "not a valid mark of a removed file"),
    "whiteout of the daemon's own": (lambda: entries(member(".wh..wh.plnk")), "not a valid mark of a removed file"),
    "whiteout that is a link": (
        lambda: entries(member(".wh.x", LINK, link="/")),
        "not a valid mark of a removed file",
    ),
    "file in a whiteout": (lambda: entries(member(".wh.d/x")), "not a valid mark of a removed file"),
    "user of another world": (
        lambda: extended(tarfile.XHDTYPE, (b"uid", b"4294967295")) + raw_header(b"0", b"") + END,
        "chown it to 0:0",
    ),
    "folders of folders": (
        lambda: entries(*(member(f"{number}/" + "d/" * 900 + "x") for number in range(115))),
        "more than 100000 files and folders",
    ),
    "dots": (lambda: entries(member("a/../../x")), "which no image needs"),
}
"""What is read well and must not be in an image."""
