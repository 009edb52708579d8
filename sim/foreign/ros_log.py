"""Joint states in ROS recordings: bags of ROS 1 and 2, and MCAP.

Rows are assigned by the names in each message, which may have any order and, with two arms, several
controllers or a gripper on a topic, differ between messages.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from sim.errors import ForeignError, ModelError, missing
from sim.foreign.foreign_table import MOST_NUMBERS, ForeignTable
from sim.foreign.joint_streams import Message, joint_columns_of
from sim.robots.guarded_file import read_regular_file

MOST_IN_CHUNK = 256_000_000  # unpacked bytes of an MCAP chunk; recorders write some 1 MB
MOST_TIMES_LARGER = 200  # unpacked chunks over file size; smaller files may have MOST_IN_CHUNK

_KIND = "JointState"
_DYNAMIC = "DynamicJointState"  # of ros2_control, in addition to JointState: values by joint
MEMORY = 1_200_000_000  # bytes, in addition to the memory of the process
METADATA = "metadata.yaml"
LARGEST_METADATA = 10_000_000  # bytes; a thousand topics take a tenth of it
DEEPEST = 100  # levels of YAML, limited since its reader is recursive
_INTERFACES = ("position", "velocity", "effort")
_LEVELS = re.compile(r"[ \t]*(?:- )*")


def is_bag(path: Path) -> bool:
    """Whether a path is the folder of a ROS 2 bag."""
    return (path / METADATA).is_file()


def read_ros_log(
    path: Path, topic: str | None = None, joints: Collection[str] = ()
) -> ForeignTable:
    """Return times since the first message, and q, qd and tau of each joint: ``q.elbow_joint``.

    Parameters
    ----------
    path : Path
        Folder of a ROS 2 bag, a ROS 1 ``.bag``, an ``.mcap``, or the ``.db3`` of a bag: the bag of
        its folder, or the file alone if ``metadata.yaml`` is missing there.
    topic : str, optional
        Topic to read; required if several have joint states.
    joints : collection of str
        Joints of the robot; messages without any of them belong to another device.

    Raises
    ------
    ForeignError
        If the readers are not installed, the file cannot be read, or no such topic has joint
        states.
    """
    reader, notes = _bag, tuple[str, ...]()
    if path.suffix.lower() == ".mcap":
        reader = _mcap
    elif path.suffix.lower() == ".db3" and path.is_file():
        if is_bag(path.resolve().parent):
            path = path.resolve().parent
            notes = (f"read as part of its bag, the folder {path.name}",)
        else:
            reader = _database
    require_bag_files(path)
    try:
        with bounded_memory():
            messages = list(_limit_numbers(path, reader(path, topic)))
    except ForeignError:
        raise
    except MemoryError:
        raise ForeignError(
            f"{path.name} takes more than {MEMORY / 1e9:g} GB of memory; cut it, or keep only the "
            "topic of joint states"
        ) from None
    except ImportError as error:
        raise ForeignError(
            f"{path.name} is a recording of ROS, whose readers are not installed: "
            f"pip install 'sim[logs]' ({error})"
        ) from None
    except Exception as error:  # errors of a reader on damaged bytes cannot be listed
        why = (str(error) or type(error).__name__).splitlines()[0]
        raise ForeignError(f"{path.name} cannot be read as a recording of ROS: {why}") from None
    columns, joined = joint_columns_of(path.name, messages, joints)
    return ForeignTable(path.name, tuple(columns), "message", notes=(*notes, *joined))


def _limit_numbers(path: Path, messages: Iterator[Message]) -> Iterator[Message]:
    """Yield messages with interned names, up to a limit of numbers."""
    names: dict[tuple[str, ...], tuple[str, ...]] = {}
    count = 0
    for t, order, *numbers in messages:
        count += len(order) + sum(map(len, numbers))
        if count > MOST_NUMBERS:
            raise ForeignError(f"{path.name} has more than {MOST_NUMBERS} numbers; cut it")
        q, qd, tau = (np.asarray(values, dtype=np.float64) for values in numbers)
        key = tuple(order)
        yield t, names.setdefault(key, key), q, qd, tau


def _choose_topic(path: Path, kinds: dict[str, str], topic: str | None) -> str:
    """Return the topic to read, from all topics with the kinds of their messages."""
    joint_states = [name for name, kind in kinds.items() if kind.endswith(_KIND)]
    plain = [name for name in joint_states if not kinds[name].endswith(_DYNAMIC)]
    listed = ", ".join(f"{name} ({kind})" for name, kind in sorted(kinds.items())) or "none"
    if topic is None and len(choice := plain or joint_states) == 1:
        return choice[0]
    if topic is None and choice:
        raise ForeignError(
            f"{path.name} has several topics of joint states, {', '.join(sorted(choice))}; "
            "choose one with --topic"
        )
    if topic not in joint_states:
        missing = "no topic" if topic is None else f"no topic {topic!r}"
        raise ForeignError(f"{path.name} has {missing} of joint states; its topics: {listed}")
    return str(topic)


def _bag(path: Path, topic: str | None) -> Iterator[Message]:
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    if not path.exists():
        raise ForeignError(missing(path))
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as bag:
        name = _choose_topic(path, {one.topic: one.msgtype for one in bag.connections}, topic)
        connections = [one for one in bag.connections if one.topic == name]
        for connection, logged, raw in bag.messages(connections=connections):
            yield _message(bag.deserialize(raw, connection.msgtype), logged)


def _database(path: Path, topic: str | None) -> Iterator[Message]:
    """Yield the messages in the two tables of a bag's database without ``metadata.yaml``."""
    import sqlite3

    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        database.execute("PRAGMA trusted_schema = OFF")
        kinds = dict(database.execute("SELECT name, type FROM sqlite_master"))
        if kinds.get("topics") != "table" or kinds.get("messages") != "table":  # a view may not end
            raise ForeignError(f"{path.name} is a database, and no bag of ROS 2")
        topics = {name: (k, kind) for k, name, kind in
                  database.execute("SELECT id, name, type FROM topics")}  # fmt: skip
        name = _choose_topic(path, {name: kind for name, (_, kind) in topics.items()}, topic)
        number, kind = topics[name]
        query = "SELECT timestamp, data FROM messages WHERE topic_id = ? ORDER BY timestamp"
        for logged, raw in database.execute(query, (number,)):
            yield _message(store.deserialize_cdr(raw, kind), logged)


def _mcap(path: Path, topic: str | None) -> Iterator[Message]:
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory

    if not path.is_file():
        raise ForeignError(missing(path))
    with path.open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        if (summary := reader.get_summary()) is None:
            raise ForeignError(f"{path.name} has no summary: its recording was cut off")
        kinds = {
            channel.topic: summary.schemas[channel.schema_id].name
            for channel in summary.channels.values()
            if channel.schema_id in summary.schemas
        }
        name = _choose_topic(path, kinds, topic)
        _require_small_chunks(
            path, stream, [one.chunk_start_offset for one in summary.chunk_indexes]
        )
        for _, _, logged, message in reader.iter_decoded_messages(topics=[name]):
            yield _message(message, logged.log_time)


def _require_small_chunks(path: Path, stream: BinaryIO, places: Sequence[int]) -> None:
    """Check the stated unpacked size of each MCAP chunk before the reader unpacks any.

    Both the chunk and its zstd frame state a size, and memory of that size is allocated at once; an
    lz4 byte expands to at most 255. Without an index, chunks are searched one by one.
    """
    from mcap.data_stream import ReadDataStream
    from mcap.records import Chunk
    from mcap.stream_reader import StreamReader

    def chunks() -> Iterator[Chunk]:
        for place in places:
            stream.seek(place + 9)  # after the kind of the record and its length
            yield Chunk.read(ReadDataStream(stream))
        if not places:
            stream.seek(0)
            records = StreamReader(stream, emit_chunks=True).records
            yield from (one for one in records if isinstance(one, Chunk))

    whole, size = 0, path.stat().st_size
    for chunk in chunks():
        unpacked = max(chunk.uncompressed_size, len(chunk.data))
        if chunk.compression == "zstd":
            from zstandard import frame_content_size

            unpacked = max(unpacked, frame_content_size(chunk.data))
        whole += unpacked
        if unpacked > MOST_IN_CHUNK or whole > max(MOST_TIMES_LARGER * size, MOST_IN_CHUNK):
            raise ForeignError(
                f"{path.name}, {size} bytes, unpacks to {max(whole, unpacked)} bytes or more; a "
                f"chunk may have {MOST_IN_CHUNK}, and all together {MOST_TIMES_LARGER} times the "
                "file: keep only the topic of joint states (mcap filter)"
            )
    stream.seek(0)


def _message(message: Any, logged: int) -> Message:
    """Return a message; its stamp is the header's, or else the time of logging [ns]."""
    stamp = message.header.stamp
    seconds = stamp.sec + 1e-9 * stamp.nanosec
    t = seconds if seconds > 0 else 1e-9 * logged
    if not hasattr(message, "interface_values"):
        return t, list(message.name), message.position, message.velocity, message.effort
    by_joint = [dict(zip(one.interface_names, one.values, strict=False))
                for one in message.interface_values]  # fmt: skip
    rows = [[values.get(name, np.nan) for values in by_joint] for name in _INTERFACES]
    q, qd, tau = ([] if np.isnan(row).all() else row for row in rows)
    return t, list(message.joint_names), q, qd, tau


@contextlib.contextmanager
def bounded_memory(extra: int = MEMORY) -> Iterator[None]:
    """Limit the additional memory of this process, where Linux supports it.

    Raises
    ------
    MemoryError
        Raised by any larger allocation.
    """
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (ImportError, OSError, ValueError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = pages * resource.getpagesize() + extra
    if soft != resource.RLIM_INFINITY:
        bound = min(bound, soft)
    resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def require_bag_files(path: Path) -> None:
    """Check that a recording consists of regular files, with a readable list of contents.

    Parameters
    ----------
    path : Path
        Folder of a bag, or a single file.

    Raises
    ------
    ForeignError
        If there is a pipe or a device, which may have no end, or ``metadata.yaml`` is too large or
        too deeply nested.
    """
    files = list(path.iterdir()) if path.is_dir() else [path]
    for file in files:
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise ForeignError(f"{file} is not a regular file; a pipe or a device may never end")
    if not (path / METADATA).is_file():
        return
    try:
        text = read_regular_file(path / METADATA, LARGEST_METADATA).decode("utf-8", "replace")
    except (ModelError, OSError) as error:
        raise ForeignError(f"{path.name} cannot be read: {error}") from None
    depth = most = 0
    for character in text:
        depth = max(depth + (character in "[{") - (character in "]}"), 0)
        most = max(most, depth)
    lines = (_LEVELS.match(line) for line in text.splitlines())
    most = max(most, max((len(indent[0]) // 2 for indent in lines if indent), default=0))
    if most > DEEPEST:
        raise ForeignError(f"{path / METADATA} is nested {most} levels deep; {DEEPEST} are allowed")
