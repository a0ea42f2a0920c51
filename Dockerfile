# make image; docker run --rm --volume "$PWD:/data" karat look votes.csv
FROM python:3.12-slim AS built
WORKDIR /src
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
RUN python -m venv /karat && /karat/bin/pip install --no-cache-dir --constraint constraints.txt .

FROM python:3.12-slim
RUN useradd --create-home --uid 1000 karat
COPY --from=built /karat /karat
ENV PATH=/karat/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER karat
WORKDIR /data
ENTRYPOINT ["karat"]
CMD ["--help"]
